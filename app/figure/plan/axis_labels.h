// The token and dimension labels along two sides of a heatmap: their rotation, thinning and placement.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// One side of the heatmap.
struct LabelAxis {
  const std::vector<std::string>& labels;   // of the whole matrix; empty: no labels
  std::function<Index(Index)> whole_index;  // from tile index to matrix index; `count` gives the tile's end
  Index count = 0;                          // cells of the tile along this side
  Index pinned = -1;                        // matrix index of a label that thinning never removes; -1: none
  // Matrix indices of labels that stand in the place of others where not all have room, the first one first;
  // not of numbers.
  std::vector<Index> kept = {};
};

// The layout of the labels of one side, for one cell size.
struct LabelLayout {
  Index step = 1;          // every step-th label of the whole matrix is shown
  int angle_deg = 0;       // 0, 45 or 90
  double extent_px = 0;    // perpendicular to the side; 0 without labels
  double apart = 0;        // the least distance at which labels do not touch, in cells of the tile
  double overhang_px = 0;  // of the outermost column label, beyond the centre of the outermost cell: to the
                           // right; to the left if slanted and below the cells
};

// The distance between the cells and their labels; scaled by scaled_px().
inline constexpr double kRowLabelGap = 8, kColumnLabelGap = 6;

// Row labels are horizontal and thinned only as far as lines would touch, numbers and labels of pooled cells
// to round steps. `max_px` limits the length of a label.
LabelLayout fit_row_labels(const LabelAxis& axis, double cell_height, double max_px, const FigureStyle& style,
                           const MeasureText& measure);
// Column labels are horizontal if all fit, else at 45 degrees, else vertical, else vertical and thinned.
// Numbers are horizontal and thinned.
LabelLayout fit_column_labels(const LabelAxis& axis, double cell_width, double max_px,
                              const FigureStyle& style, const MeasureText& measure);

// The texts, shortened to the layout's `extent_px`: right-aligned at the left of `cells`; above or below it.
std::vector<PlannedText> place_row_labels(const LabelAxis& axis, const LabelLayout& layout,
                                          const PlannedCells& cells, const FigureStyle& style,
                                          const MeasureText& measure);
std::vector<PlannedText> place_column_labels(const LabelAxis& axis, const LabelLayout& layout,
                                             const PlannedCells& cells, const FigureStyle& style,
                                             const MeasureText& measure, bool below = false);

}  // namespace headlight
