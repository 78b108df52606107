#include "engine/learning/pair_block.h"

#include <algorithm>

#include "engine/layer/overwriting.h"

namespace headlight {

PairBlock::PairBlock(const Layer& layer, StageSet existing, StageSet separate, Workspace& workspace)
    : layer_(layer), existing_(existing), workspace_(workspace) {
  buffers_.emplace_back(workspace);
  for (const StageInfo& info : stage_table()) {
    if (!is_pair(info.stage) || info.stage == Stage::Weights) continue;
    if ((existing & separate & stage_bit(info.stage)) == 0) continue;
    buffer_of_[static_cast<std::size_t>(info.stage)] = buffers_.size();
    buffers_.emplace_back(workspace);
  }
  buffers_.emplace_back(workspace);
}

Eigen::Map<Matrix> PairBlock::rows(Stage stage) {
  return buffer(buffer_of(stage));
}

Eigen::Map<Matrix> PairBlock::normalized() {
  return buffer(overwritten_ ? buffers_.size() - 1 : 0);
}

void PairBlock::compute(const PairInputs& inputs, Index first, Index count, Index columns, Stage last) {
  const auto [sequence, head, queries, keys, noise] = inputs;
  count_ = count;
  columns_ = columns;
  overwritten_ = is_overwritten(layer_, Stage::Weights, sequence, head);
  for (std::size_t i = 0; i + (overwritten_ ? 0 : 1) < buffers_.size(); ++i)
    buffers_[i].resize(count * columns);
  const bool scored = queries.size() > 0;
  const StageSet stages = existing_ & ((stage_bit(last) << 1) - 1);
  compute_pair_rows(
      layer_, {sequence, head, first, existing_, stages}, layer_.open_cells(sequence, head),
      queries.middleRows(scored ? first : 0, scored ? count : 0), keys.topRows(scored ? columns : 0),
      [this](Stage stage) -> MatrixOut { return rows(stage); }, workspace_);
  if (last >= Stage::Weights && overwritten_) {
    normalized() = rows(Stage::Weights);
    overwrite(layer_, Stage::Weights, sequence, head, first, rows(Stage::Weights));
  }
  if (last < Stage::Dropped) return;
  if (noise)
    drop(rows(Stage::Weights), noise->block(first, 0, count, columns), rows(Stage::Dropped));
  else if (buffer_of(Stage::Dropped) != buffer_of(Stage::Weights))
    rows(Stage::Dropped) = rows(Stage::Weights);
}

Index open_columns(const Layer& layer, Index sequence, Index head, Index first, Index count) {
  // Overwritten weights are not zero where the mask closes a pair.
  if (is_overwritten(layer, Stage::Weights, sequence, head)) return layer.key_count();
  return std::min(layer.key_band(sequence).end(first + count - 1), layer.key_count());
}

}  // namespace headlight
