// A table of several quantities: beside each number a bar, as long as the number is in its column.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/drawing.h"
#include "engine/core/matrix.h"

namespace headlight {

struct BarTable {
  std::string row_axis;                    // what the rows are: "head"
  std::vector<std::string> rows, columns;  // their names
  Matrix values;                           // rows x columns; NaN: there is no number, and no bar
};

// The width in pixels in which names, numbers and bars have room.
double bar_table_width(const BarTable& table, const FigureStyle& style, const MeasureText& measure);

// The least width for plan_bar_table().
double least_bar_table_width(const BarTable& table, const FigureStyle& style, const MeasureText& measure);

// In this width, with equal columns. Each bar begins at zero; below a column's name stand the numbers between
// which its bars are drawn, which are the least and the largest, or zero. Numbers that have no room are left
// out, and the bars then have it.
Drawing plan_bar_table(const BarTable& table, double width, const FigureStyle& style,
                       const MeasureText& measure);

}  // namespace headlight
