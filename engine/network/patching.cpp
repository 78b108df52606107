// The part of NetworkPass that applies patches.
#include <algorithm>
#include <iterator>

#include "engine/core/error.h"
#include "engine/network/network_pass.h"

namespace headlight {
namespace {

// The shape of a patched stage: its heads, and the columns of each.
struct PatchedStage {
  Index heads = 0;  // 0: no heads
  Index columns = 0;
};

PatchedStage patched_stage(const NetworkConfig& c, PatchStage stage, Index tokens) {
  switch (stage) {
    case PatchStage::Queries:
    case PatchStage::Context:
      return {c.heads, c.head_width};
    case PatchStage::Keys:
    case PatchStage::Values:
      return {c.kv_heads, c.head_width};
    case PatchStage::Weights:
      return {c.heads, tokens};
    case PatchStage::Residual:
    case PatchStage::Input:
    case PatchStage::AttentionAdded:
    case PatchStage::MlpAdded:
      break;
  }
  return {0, c.width};
}

}  // namespace

bool Patch::operator==(const Patch& other) const {
  return stage == other.stage && layer == other.layer && head == other.head && row == other.row &&
         column == other.column && side == other.side && values.rows() == other.values.rows() &&
         values.cols() == other.values.cols() &&
         std::equal(values.data(), values.data() + values.size(), other.values.data());
}

void NetworkPass::check_patch(const Patch& patch) const {
  const NetworkConfig& c = network_->config();
  const PatchedStage stage = patched_stage(c, patch.stage, token_count());
  const Index layers = c.layers + (patch.stage == PatchStage::Residual ? 1 : 0);
  const auto require = [](bool good, const std::string& what, Index most) {
    if (!good)
      throw Error("there is no such " + what, "patch", "they go from 0 to " + std::to_string(most - 1));
  };
  require(patch.layer >= 0 && patch.layer < layers, "layer", layers);
  if (stage.heads == 0 && patch.head != 0)
    throw Error("this stage has no heads", "patch", "leave the head out, or give it as 0");
  if (stage.heads > 0) require(patch.head >= 0 && patch.head < stage.heads, "head", stage.heads);
  require(patch.row >= 0 && patch.row + patch.values.rows() <= token_count(), "token", token_count());
  require(patch.column >= 0 && patch.column + patch.values.cols() <= stage.columns, "column", stage.columns);
}

void NetworkPass::set_patches(const std::vector<Patch>& patches) {
  for (const Patch& patch : patches)
    check_patch(patch);
  // Later patches overwrite earlier ones, so that their order counts. What lies between the beginnings and
  // the ends that both lists share is applied anew.
  const auto [old_begin, new_begin] =
      std::mismatch(patches_.begin(), patches_.end(), patches.begin(), patches.end());
  const auto [old_end, new_end] = std::mismatch(patches_.rbegin(), std::make_reverse_iterator(old_begin),
                                                patches.rbegin(), std::make_reverse_iterator(new_begin));
  std::vector<Patch> affected(old_begin, old_end.base());
  affected.insert(affected.end(), new_begin, new_end.base());
  patches_ = patches;
  follow_patched_weights();
  for (const Patch& patch : affected)
    forget_stage(patch.stage, patch.layer, patch.row);
}

void NetworkPass::follow_patched_weights() {
  patched_weights_.assign(static_cast<std::size_t>(network_->config().layers), false);
  for (const Patch& patch : patches_)
    if (patch.stage == PatchStage::Weights) patched_weights_[static_cast<std::size_t>(patch.layer)] = true;
}

// Marks everything that a change of a stage from a row on affects as stale, whether it is added or removed.
void NetworkPass::forget_stage(PatchStage stage, Index layer, Index row) {
  row = std::min(row, token_count());
  const auto from_row = [row](std::vector<bool>& there) {
    std::fill(there.begin() + std::min(row, static_cast<Index>(there.size())), there.end(), false);
  };
  if (stage == PatchStage::Residual) {
    from_row(stream(layer).there);
    forget(layer, row);
    if (layer == 0 && token_count() > 0) embed(row);
    return;
  }
  LayerState& state = at(layer);
  const bool keys = stage == PatchStage::Keys || stage == PatchStage::Values || stage == PatchStage::Input;
  if (keys) state.known = std::min(state.known, row);
  if (stage != PatchStage::AttentionAdded && stage != PatchStage::MlpAdded) {
    if (depends_on_later_tokens(layer))
      std::fill(state.attended.begin(), state.attended.end(), false);
    else
      from_row(state.attended);
  }
  leave_anew(layer);
}

void NetworkPass::patch(PatchStage stage, Index layer, Index begin, MatrixOut rows) const {
  for (const Patch& patch : patches_) {
    if (patch.stage != stage || patch.layer != layer) continue;
    const Index width = patched_stage(network_->config(), stage, token_count()).columns;
    const Index first = std::max(patch.row, begin),
                end = std::min(patch.row + patch.values.rows(), begin + rows.rows());
    if (first < end)
      rows.block(first - begin, patch.head * width + patch.column, end - first, patch.values.cols()) =
          patch.values.middleRows(first - patch.row, end - first);
  }
}

bool NetworkPass::patches_weights(Index layer) const {
  const auto place = static_cast<std::size_t>(layer);
  return place < patched_weights_.size() && patched_weights_[place];
}

}  // namespace headlight
