// The frames of guesses: a line for each number, a cell for each pair. Empty to be drawn in by hand, and
// below the answers of a class.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/plan/figure_grid.h"

namespace headlight {

inline constexpr double kNameGap = 10;  // between a name and what it names
// The width of the longest label, as far as there is room for it, and a gap at both sides.
double name_width(const std::vector<std::string>& labels, const FigureStyle& style,
                  const MeasureText& measure);

// The rows and columns that marked cells are named by.
struct CellNames {
  std::vector<std::string> rows, columns;
};

struct CellFrame {
  Drawing drawing;          // the names and the outlines
  std::vector<Rect> cells;  // row by row
};
CellFrame cell_frame(const CellNames& names, const FigureStyle& style, const MeasureText& measure);

// A bar to draw between `low` and `high`, or one that stands at `number` already.
struct FramedBar {
  std::string label;
  std::optional<double> number = {};
};
struct BarAxis {
  double low = 0, high = 1;
  std::vector<std::string> ticks;  // from low to high, equally far apart
};
Drawing bar_frame(const std::vector<FramedBar>& bars, const BarAxis& axis, const FigureStyle& style,
                  const MeasureText& measure);

}  // namespace headlight
