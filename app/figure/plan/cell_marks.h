// The contents of cells: colours, numbers, and marks of masked, dropped and non-finite cells.
#pragma once

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// The colours of all cells, row by row. Masked, dropped and empty cells have FigureStyle::neutral. NaN and
// infinity have it too if their symbol fits a cell of this size, else FigureStyle::error: never a colour of
// the map.
std::vector<Color> cell_colors(const HeatmapFigure& figure, const Colormap& map, const FigureStyle& style,
                               double cell_width, double cell_height, const MeasureText& measure);

// Adds numbers, symbols, hatching, empty squares, marks of numbers beyond the range, separating lines and the
// frame to a plan whose cells are placed and coloured.
void add_cell_marks(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style,
                    const MeasureText& measure);

}  // namespace headlight
