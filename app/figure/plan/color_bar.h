// The colour bar beside a heatmap, with ticks at its ends and at round values.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

struct BarTick {
  double value = 0;
  std::string label;
};

// The two ends of the range, and round values between them (steps of 1, 2 or 5 times a power of ten) as far
// apart as the labels require on a bar `height` px high; on a logarithmic scale powers of ten, and 2 and 5
// times them if there is room. In ascending order.
// `percent`: values are shares, labelled as per cent, the highest with the sign.
std::vector<BarTick> bar_ticks(const ColorRange& range, double height, double line_height_px,
                               bool percent = false);

// The width in px of the bar with its gap to the cells, ticks and labels, and a turned title beside these.
double bar_width(const std::vector<BarTick>& ticks, bool title, const FigureStyle& style,
                 const MeasureText& measure);

// Where the ends of another range lie on a bar: y of its high and its low end, at the bar's end if they lie
// beyond.
struct BarGhost {
  double top = 0, bottom = 0;
  bool above = false, below = false;
};
BarGhost ghost_on_bar(const PlannedBar& bar, const ColorRange& shown, const ColorRange& other);

// The mark of numbers beyond a range: a chevron that points away from it, `size` wide, with its tip at a
// point.
std::array<PlannedLine, 2> beyond_mark(Point tip, double size, bool above, double width, Color color);

// A bar's title with its unit and scale: "share of attention, 0 to 100 %" where the range is just that; else
// "share of attention, %"; and "share of attention, %, log scale". An empty title stays so.
std::string bar_title(const std::string& title, const ColorRange& range, bool percent);

// What is written at a bar.
struct BarWords {
  bool percent = false;
  std::string title;  // read upwards behind the labels, shortened to the bar; "": none
};

// Adds a bar of `height` to the right of the plan's cells, from their top; an exceeded end is pointed,
// with the mark of such cells beside it if they have one.
void add_bar(HeatmapPlan& plan, const ColorRange& range, const Colormap& map, double height,
             const BarWords& words, const FigureStyle& style, const MeasureText& measure);

}  // namespace headlight
