// The token and dimension labels along the two sides of a heatmap: how they are turned, thinned and placed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// One side of the heatmap.
struct LabelAxis {
  const std::vector<std::string>& labels;   // of the whole matrix; empty: no labels
  std::function<Index(Index)> whole_index;  // from an index of the tile; from `count`, behind its last
  Index count = 0;                          // cells of the tile along this side
  Index kept = -1;                          // of the whole matrix: a label that stays, whichever give way
};

// How the labels of one side stand, for one cell size.
struct LabelLayout {
  Index step = 1;          // every step-th of the whole matrix is shown
  int angle_deg = 0;       // 0, 45 or 90
  double extent_px = 0;    // away from the cells; 0 when there are no labels
  double apart = 0;        // labels touch unless they are so many cells of the tile apart
  double overhang_px = 0;  // of the outermost column label, beyond the outermost cell's middle: at the right,
                           // of slanted ones below the cells at the left
};

// Distance between the cells and their labels, as in the look's pages.
inline constexpr double kRowLabelGap = 8, kColumnLabelGap = 6;

// Rows: horizontal, thinned when lines would touch, by no more than that needs; numbers and
// labels of pooled cells to round places.
// `max_px` bounds the length of a label.
LabelLayout fit_row_labels(const LabelAxis& axis, double cell_height, double max_px, const FigureStyle& style,
                           const MeasureText& measure);
// Columns: horizontal if all fit, else at 45 degrees, else upright, else upright and thinned. Numbers stay
// horizontal and are thinned.
LabelLayout fit_column_labels(const LabelAxis& axis, double cell_width, double max_px,
                              const FigureStyle& style, const MeasureText& measure);

// The texts, shortened to `extent_px` of the layout: right-aligned to the left of `cells`, or above or below
// them.
std::vector<PlannedText> place_row_labels(const LabelAxis& axis, const LabelLayout& layout,
                                          const PlannedCells& cells, const FigureStyle& style,
                                          const MeasureText& measure);
std::vector<PlannedText> place_column_labels(const LabelAxis& axis, const LabelLayout& layout,
                                             const PlannedCells& cells, const FigureStyle& style,
                                             const MeasureText& measure, bool below = false);

}  // namespace headlight
