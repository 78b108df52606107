// Tiles, tokens and measures for the tests of figures.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/heatmap_plan.h"
#include "app/figure/plan/label_text.h"

namespace headlight_test {

using namespace headlight;

// Sets the range of the tile's cells as the engine does: masked and non-finite cells are excluded.
inline void set_range(Tile& tile) {
  tile.range = {};
  for (Index i = 0; i < tile.values.size(); ++i) {
    const float value = tile.values.data()[i];
    if (tile.marks[static_cast<std::size_t>(i)] == CellMark::Masked || !std::isfinite(value)) continue;
    tile.range.low = tile.range.finite == 0 ? value : std::min(tile.range.low, value);
    tile.range.high = tile.range.finite == 0 ? value : std::max(tile.range.high, value);
    ++tile.range.finite;
  }
}

inline Tile make_tile(Stage stage, const Matrix& values) {
  Tile tile;
  tile.request.stage = stage;
  tile.request.row_end = tile.total_rows = values.rows();
  tile.request.column_end = tile.total_columns = values.cols();
  tile.values = values;
  tile.marks.assign(static_cast<std::size_t>(values.size()), CellMark::None);
  set_range(tile);
  return tile;
}

// Values that rise from `low` to `high` over the matrix.
inline Tile ramp_tile(Stage stage, Index rows, Index columns, float low, float high) {
  Matrix values(rows, columns);
  for (Index i = 0; i < values.size(); ++i)
    values.data()[i] = low + (high - low) * static_cast<float>(i) /
                                 static_cast<float>(std::max<Index>(values.size() - 1, 1));
  return make_tile(stage, values);
}

// Masks the cells above the diagonal: -inf in the stage Masked, else 0.
inline void mask_future(Tile& tile) {
  for (Index r = 0; r < tile.values.rows(); ++r)
    for (Index c = r + 1; c < tile.values.cols(); ++c) {
      tile.marks[static_cast<std::size_t>(r * tile.values.cols() + c)] = CellMark::Masked;
      tile.values(r, c) = tile.request.stage == Stage::Masked ? -INFINITY : 0.0f;
    }
  set_range(tile);
}

inline std::vector<std::string> tokens(Index count) {
  const std::vector<std::string> words = {
      "Your", "journey", "starts", "with", "one", "step", "antidisestablishmentarianism"};
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i)
    labels.push_back(words[static_cast<std::size_t>(i) % words.size()]);
  return labels;
}

// Every character is 0.6 of the size wide, so that widths do not depend on fonts.
inline TextSize plain_measure(const std::string& text, double size_px, FontFace) {
  return {0.6 * size_px * static_cast<double>(character_count(text)), 1.2 * size_px};
}

inline std::vector<const PlannedText*> texts_named(const HeatmapPlan& plan, const std::string& text) {
  std::vector<const PlannedText*> found;
  for (const PlannedText& planned : plan.texts)
    if (planned.text == text) found.push_back(&planned);
  return found;
}

}  // namespace headlight_test
