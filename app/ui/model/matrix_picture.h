// A matrix of numbers that are no stage's as a picture, with a name for each row and column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/kit/area.h"

namespace headlight {

struct MatrixPicture {
  std::string name;  // for the probe
  const Matrix& values;
  std::vector<std::string> rows, columns;
  std::string row_axis, column_axis;
  std::optional<std::pair<Index, Index>> chosen;  // outlined
  int decimals = 2;
};

struct MatrixEvents {
  std::optional<std::pair<Index, Index>> pointed, pressed;  // row, column
};

// Colours diverge about zero.
MatrixEvents matrix_picture(UiContext& ui, const MatrixPicture& picture, const Area& area);
// Of its texture: other numbers are another one.
std::uint64_t picture_version(const Matrix& values);
// Its numbers, separated by tabs, with the names of its rows and columns.
std::string matrix_text(const MatrixPicture& picture);

}  // namespace headlight
