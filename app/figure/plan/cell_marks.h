// What stands in the cells: their colours, their numbers, and the marks of masked, dropped and non-finite
// ones.
#pragma once

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// Colours of all cells, row by row. Masked and dropped cells have the panel's tone. NaN and infinity have it
// too where their symbol fits a cell of this size, and else the error colour: never one of the scale's.
std::vector<Color> cell_colors(const HeatmapFigure& figure, const Colormap& map, const FigureStyle& style,
                               double cell_width, double cell_height, const MeasureText& measure);

// Adds numbers, symbols, hatching, empty squares, separating lines and the frame to a plan whose cells stand.
void add_cell_marks(HeatmapPlan& plan, const HeatmapFigure& figure, const FigureStyle& style,
                    const MeasureText& measure);

}  // namespace headlight
