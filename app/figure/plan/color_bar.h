// The colour bar beside a heatmap: its ends, its round ticks, its labels.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

struct BarTick {
  double value = 0;
  std::string label;
};

// The two ends of the range, and round values (steps of 1, 2 or 5 times a power of ten) between them as far
// apart as the labels need on a bar `height` px high; on a logarithmic scale powers of ten, and 2 and 5 times
// them where there is room. Rising.
std::vector<BarTick> bar_ticks(const ColorRange& range, double height, double line_height_px);

// Width of the bar with its gap to the cells, ticks and labels.
double bar_width(const std::vector<BarTick>& ticks, const FigureStyle& style, const MeasureText& measure);

// Adds a bar of `height` to the right of the plan's cells, from their top. An end beyond which cells lie is
// pointed.
void add_bar(HeatmapPlan& plan, const ColorRange& range, const Colormap& map, double height,
             const FigureStyle& style);

}  // namespace headlight
