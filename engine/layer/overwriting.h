// Functions for overwritten numbers of stages (Layer::overwritten).
#pragma once

#include <algorithm>

#include "engine/layer/stage.h"

namespace headlight {

// True for queries and keys (with rotary positions the rotated ones instead), values, weights and context.
inline bool may_be_overwritten(const Layer& layer, Stage stage) {
  switch (stage) {
    case Stage::Queries:
    case Stage::Keys:
      return !stage_exists(layer, Stage::RotatedQueries) && stage_exists(layer, stage);
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
    case Stage::Values:
    case Stage::Weights:
    case Stage::Context:
      return stage_exists(layer, stage);
    case Stage::Embeddings:
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Dropped:
    case Stage::Concat:
    case Stage::Output:
      break;
  }
  return false;
}

inline bool is_of(const Overwritten& block, Stage stage, Index sequence, Index head) {
  return block.stage == stage && block.sequence == sequence && block.head == head;
}

// Whether any number of one of the stage's matrices is overwritten.
inline bool is_overwritten(const Layer& layer, Stage stage, Index sequence, Index head) {
  return std::any_of(layer.overwritten.begin(), layer.overwritten.end(),
                     [&](const Overwritten& block) { return is_of(block, stage, sequence, head); });
}
inline bool is_overwritten(const Layer& layer, const CellAddress& cell) {
  return std::any_of(layer.overwritten.begin(), layer.overwritten.end(), [&](const Overwritten& block) {
    const Index row = cell.row - block.row, column = cell.column - block.column;
    return is_of(block, cell.stage, cell.sequence, cell.head) && row >= 0 && row < block.values.rows() &&
           column >= 0 && column < block.values.cols();
  });
}

// Writes the overwritten numbers into `rows`, the rows of one matrix of the stage from row `first` on.
inline void overwrite(const Layer& layer, Stage stage, Index sequence, Index head, Index first,
                      MatrixOut rows) {
  for (const Overwritten& block : layer.overwritten) {
    if (!is_of(block, stage, sequence, head)) continue;
    const Index begin = std::max(block.row, first),
                end = std::min(block.row + block.values.rows(), first + rows.rows());
    if (begin < end)
      rows.block(begin - first, block.column, end - begin, block.values.cols()) =
          block.values.middleRows(begin - block.row, end - begin);
  }
}

}  // namespace headlight
