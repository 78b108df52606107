// The part of NetworkPass for attention to the memory, which is what the encoder leaves. It is computed for
// the rows of the stream that leave a layer, and nothing of it is stored but its queries, keys and values.
#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/network/layer_steps.h"
#include "engine/network/network_pass.h"

namespace headlight {

void NetworkPass::begin_cross() {
  const NetworkConfig& c = network_->config();
  if (!c.cross) return;
  encoder_.emplace_back(network_->encoder());
  cross_.resize(static_cast<std::size_t>(c.layers));
  for (CrossState& state : cross_)
    state.frame.attention = c.cross_attention();
}

void NetworkPass::follow_encoder() {
  Matrix memory = encoder_.front().output();
  if (same_matrix(memory, memory_)) return;
  memory_ = std::move(memory);
  for (CrossState& state : cross_)
    state.known = false;
  follow_cross_lengths();
  std::fill(stream(1).there.begin(), stream(1).there.end(), false);
  forget(1, 0);
}

void NetworkPass::set_cross_heads(Index layer, const HeadStates& heads) {
  if (std::find(heads.begin(), heads.end(), HeadState::Mean) != heads.end())
    throw Error("a head of cross-attention is not replaced by its mean", "cross", "switch it off instead");
  std::vector<Index> disabled;
  for (std::size_t head = 0; head < heads.size(); ++head)
    if (heads[head] == HeadState::Off) disabled.push_back(static_cast<Index>(head));
  std::vector<Index>& present = cross_[static_cast<std::size_t>(layer)].frame.attention.disabled_heads;
  if (present == disabled) return;
  present = std::move(disabled);
  leave_anew(layer);
}

void NetworkPass::need_cross_keys(Index layer) {
  const LayerWeights& w = at(layer).weights;
  CrossState& state = cross_[static_cast<std::size_t>(layer)];
  if (state.known) return;
  state.keys.resize(memory_.rows(), w.cross_key.outputs);
  state.values.resize(memory_.rows(), w.cross_value.outputs);
  multiply(memory_, w.cross_key, state.keys, workspace_);
  multiply(memory_, w.cross_value, state.values, workspace_);
  turn_heads(network_->config(), {}, cross_rotations(layer).keys, 0, state.keys);
  state.known = true;
}

// The heads side by side, as the output projection reads them, for tokens from `begin` on. rows: what they
// read.
Matrix NetworkPass::cross_concat(Index layer, Index begin, const MatrixRef& rows) {
  const NetworkConfig& c = network_->config();
  CrossState& state = cross_[static_cast<std::size_t>(layer)];
  need_cross_keys(layer);
  auto queries = state.queries.middleRows(begin, rows.rows());
  multiply(rows, at(layer).weights.cross_query, queries, workspace_);
  turn_heads(c, {}, cross_rotations(layer).queries, begin, queries);
  Matrix concat(rows.rows(), c.heads * c.head_width);
  attend(state.frame, queries, state.keys, state.values, begin, concat, workspace_,
         edit_cross_weights(layer));
  for (const Index head : state.frame.attention.disabled_heads)
    concat.middleCols(head * c.head_width, c.head_width).setZero();
  return concat;
}

Matrix NetworkPass::cross_output(Index layer, const MatrixRef& concat) {
  Matrix output(concat.rows(), network_->config().width);
  multiply(concat, at(layer).weights.cross_output, output, workspace_);
  return output;
}

Matrix NetworkPass::cross_input(Index layer, Index first, Index count) {
  const NetworkConfig& c = network_->config();
  Matrix rows = middle(layer, first, count);
  if (c.norm_place == NormPlace::After) norm_all(c, at(layer).weights.attention_norm, rows, rows);
  norm_input(c, at(layer).weights.cross_norm, rows);
  return rows;
}

MatrixRef NetworkPass::cross_values(Index layer) {
  need_cross_keys(layer);
  return cross_[static_cast<std::size_t>(layer)].values;
}

Matrix NetworkPass::cross_heads(Index layer, Index first, Index count) {
  return cross_concat(layer, first, cross_input(layer, first, count));
}

// Adds what attention to the memory adds, with the norm of the sum if there is one. rows: the stream between
// the layer's attention to its own text and that to the memory, for tokens from `first` on.
void NetworkPass::add_cross(Index layer, Index first, MatrixOut rows) {
  const NetworkConfig& c = network_->config();
  Matrix read = rows;
  norm_input(c, at(layer).weights.cross_norm, read);
  rows += cross_output(layer, cross_concat(layer, first, read));
  if (c.norm_place == NormPlace::After) norm_all(c, at(layer).weights.cross_norm, rows, rows);
}

void NetworkPass::need_cross(Index layer) {
  const Matrix read = cross_input(layer, 0, token_count());
  need_cross_keys(layer);
  auto queries = cross_[static_cast<std::size_t>(layer)].queries.topRows(token_count());
  multiply(read, at(layer).weights.cross_query, queries, workspace_);
  turn_heads(network_->config(), {}, cross_rotations(layer).queries, 0, queries);
}

Matrix NetworkPass::cross_weights(Index layer, Index head) {
  need_cross(layer);
  return cross_weights_there(layer, head);
}

Matrix NetworkPass::cross_dropped(Index layer, Index head) {
  Matrix weights = cross_weights(layer, head);
  if (const OverwriteWeights edit = edit_cross_weights(layer)) edit(head, 0, weights);
  return weights;
}

Matrix NetworkPass::cross_weights_there(Index layer, Index head) const {
  const CrossState& state = cross_[static_cast<std::size_t>(layer)];
  const Index d_k = network_->config().head_width;
  Matrix weights(token_count(), memory_.rows());
  attend_weights(state.frame, head, state.queries.topRows(token_count()).middleCols(head * d_k, d_k),
                 state.keys.middleCols(head * d_k, d_k), 0, weights, workspace_);
  return weights;
}

}  // namespace headlight
