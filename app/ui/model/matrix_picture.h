// A heatmap of a matrix that belongs to no stage, with a name for each row and column.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/widgets/area.h"

namespace headlight {

struct MatrixPicture {
  std::string name;  // for the probe
  const Matrix& values;
  std::vector<std::string> rows, columns;
  std::string row_axis, column_axis;
  std::optional<std::pair<Index, Index>> chosen;  // outlined
  int decimals = 2;
  std::function<bool(Index row, Index column)> exists = {};  // none: all cells do; others are empty
  const Matrix* alike = nullptr;  // of the same shape: the colours have the range of both
};

struct MatrixEvents {
  std::optional<std::pair<Index, Index>> pointed, pressed;  // row, column
  Rect cell;                                                // the pointed one, on the screen
};

// The layout of a picture, for a size in pixels. The colours diverge about zero.
HeatmapPlan plan_matrix(const Theme& theme, const MatrixPicture& picture, ImVec2 size);
MatrixEvents matrix_picture(UiContext& ui, const MatrixPicture& picture, const Area& area);
// Version of its texture: a hash of the values, so it differs if the values differ.
std::uint64_t picture_version(const Matrix& values);
// The values as tab-separated text, with row and column names.
std::string matrix_text(const MatrixPicture& picture);

}  // namespace headlight
