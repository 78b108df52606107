// Several heatmaps in one picture: the heads of a stage side by side, or every stage of a session.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"
#include "app/figure/plan/hatching.h"
#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

struct PlacedPlan {
  double x = 0, y = 0;  // of the plan's top left corner in the picture
  HeatmapPlan plan;
};

struct PlacedDrawing {
  double x = 0, y = 0;
  Drawing drawing;
};

struct FigureGrid {
  double width = 0, height = 0;
  Color background;
  FigureFonts fonts;
  std::vector<PlacedPlan> plans;
  std::vector<PlacedDrawing> drawings;
  std::vector<PlannedText> texts;  // of the whole picture
  std::string title;               // in the metadata of the file, shown or not
};

struct GridLimits {
  double max_width = 1600;  // a row is wrapped before it grows wider, but holds at least one plan
  double padding_px = 24, gap_px = 32;
  std::size_t columns = 0;     // plans in a row; 0: as many as fit the width
  bool align_cells = true;     // aligns the tops of the cells in each row
  bool align_columns = false;  // aligns the left sides of the cells in each column; requires `columns`
  bool legend = true;          // says below what hatching means, if any plan is hatched
  std::string hidden_words = kHiddenByMask;  // the words of the legend
};

// The number of plans from `first` on that one row holds.
std::size_t row_length(const std::vector<HeatmapPlan>& plans, std::size_t first, const GridLimits& limits);

// The height of the line below hatched plans that says what hatching means.
double hatching_legend_height(const FigureStyle& style);

// Adds that line, and makes the figure higher, if one of its plans is hatched.
void add_hatching_legend(FigureGrid& grid, const FigureStyle& style, const GridLimits& limits,
                         const MeasureText& measure);

// Moves all that is in the figure.
void shift(FigureGrid& figure, double dx, double dy);

// Lays the plans out from left to right and top to bottom under a title and a subtitle (either may be empty),
// and above the meaning of their hatching, if any is hatched.
FigureGrid arrange(std::vector<HeatmapPlan> plans, const std::string& title, const std::string& subtitle,
                   const FigureStyle& style, const GridLimits& limits, const MeasureText& measure);

}  // namespace headlight
