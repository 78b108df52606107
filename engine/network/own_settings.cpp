// The part of NetworkPass for settings of attention that layers have of their own.
#include <algorithm>

#include "engine/attention/storage_choice.h"
#include "engine/core/error.h"
#include "engine/core/machine_memory.h"
#include "engine/network/layer_steps.h"
#include "engine/network/network_pass.h"

namespace headlight {
namespace {

// Whether there were any.
bool remove_misfits(OwnSettings& settings, Index tokens, Index keys) {
  bool removed = false;
  for (auto& own : settings) {
    if (!own || setting_fits(*own, tokens, keys)) continue;
    own = nullptr;
    removed = true;
  }
  return removed;
}

// The multipliers of rows from `first` on, by which the weights of a head are multiplied.
void drop_rows(const std::vector<Matrix>& noise, Index head, Index first, MatrixOut weights) {
  const Matrix& all = noise[static_cast<std::size_t>(head)];
  drop(weights, all.block(first, 0, weights.rows(), weights.cols()), weights);
}

void need_noise(const Layer& frame, std::vector<Matrix>& noise) {
  if (!noise.empty() || !frame.attention.dropout.active()) return;
  const double needed = sizeof(float) * static_cast<double>(frame.head_count()) *
                        static_cast<double>(frame.token_count()) * static_cast<double>(frame.key_count());
  if (needed > machine_memory() / 2)
    throw Error("dropout draws a number for each pair of each head: " + gigabytes_text(needed) +
                    ", more than half of the memory there is",
                "attention.dropout", "give a shorter text, or switch the dropout off");
  noise = layer_noise(frame);
}

}  // namespace

Layer NetworkPass::own_frame(Index layer, const OwnSettings& own) const {
  Layer frame;
  set_layer_frame(network_->config(), network_->weights(), layer, token_count(), frame);
  frame.attention.disabled_heads = at(layer).frame.attention.disabled_heads;
  put_settings(own, frame);
  return frame;
}

Layer NetworkPass::own_cross_frame(Index layer, const OwnSettings& own) const {
  Layer frame;
  frame.attention = network_->config().cross_attention();
  frame.attention.disabled_heads = cross_frame(layer).attention.disabled_heads;
  frame.tokens.resize(static_cast<std::size_t>(token_count()));
  frame.key_tokens.resize(static_cast<std::size_t>(memory_.rows()));
  put_settings(own, frame);
  return frame;
}

void NetworkPass::set_settings(LayerPlace place, const OwnSettings& own) {
  if (place.side == Side::Encoder) return encoder_.front().set_settings(place.layer, own);
  if (place.side == Side::Cross) return set_cross_settings(place.layer, own);
  const Index layer = place.layer;
  LayerState& state = at(layer);
  if (state.settings == own) return;
  Layer frame = own_frame(layer, own);
  const bool turned = frame.attention.position != state.frame.attention.position;
  state.settings = own;
  state.frame = std::move(frame);
  state.noise.clear();
  if (turned) state.known = 0;
  if (turned) turn_layers();
  std::fill(state.attended.begin(), state.attended.end(), false);
  leave_anew(layer);
}

void NetworkPass::set_cross_settings(Index layer, const OwnSettings& own) {
  CrossState& state = cross_[static_cast<std::size_t>(layer)];
  if (state.settings == own) return;
  Layer frame = own_cross_frame(layer, own);
  if (frame.attention.position != state.frame.attention.position) state.known = false;
  state.settings = own;
  state.frame = std::move(frame);
  state.noise.clear();
  leave_anew(layer);
}

// Makes the rotations ready for the text; true if tokens are turned otherwise than before.
bool NetworkPass::turn_layers() {
  std::vector<Position> positions;
  for (const LayerState& state : layers_)
    positions.push_back(state.frame.attention.position);
  return rotations_.prepare(positions, network_->config().head_width, token_count(),
                            layers_.front().queries.rows());
}

// Makes the frames and rotations those of a text of another length; true if that turns every token otherwise.
bool NetworkPass::follow_length() {
  const Index tokens = token_count();
  for (Index layer = 0; layer < network_->config().layers; ++layer) {
    LayerState& state = at(layer);
    if (state.frame.token_count() == tokens) continue;
    // Dropout draws numbers for all pairs, one after the other.
    const bool anew =
        remove_misfits(state.settings, tokens, tokens) || state.frame.attention.dropout.active();
    state.frame = own_frame(layer, state.settings);
    state.noise.clear();
    if (!anew) continue;
    std::fill(state.attended.begin(), state.attended.end(), false);
    leave_anew(layer);
  }
  follow_cross_lengths();
  return turn_layers();
}

void NetworkPass::follow_cross_lengths() {
  const Index tokens = token_count(), keys = memory_.rows();
  for (Index layer = 0; layer < static_cast<Index>(cross_.size()); ++layer) {
    CrossState& state = cross_[static_cast<std::size_t>(layer)];
    if (state.frame.token_count() == tokens && static_cast<Index>(state.frame.key_tokens.size()) == keys)
      continue;
    const bool anew = remove_misfits(state.settings, tokens, keys) || state.frame.attention.dropout.active();
    state.frame = own_cross_frame(layer, state.settings);
    state.noise.clear();
    if (anew) leave_anew(layer);
  }
}

const std::vector<Matrix>& NetworkPass::noise(Index layer) {
  need_noise(at(layer).frame, at(layer).noise);
  return at(layer).noise;
}

// What happens to the weights of a layer before values are mixed: patches, then dropout.
OverwriteWeights NetworkPass::edit_weights(Index layer) {
  OverwriteWeights overwrite = overwrite_weights(layer);
  if (noise(layer).empty()) return overwrite;
  return [this, layer, overwrite = std::move(overwrite)](Index head, Index first, MatrixOut weights) {
    if (overwrite) overwrite(head, first, weights);
    drop_rows(at(layer).noise, head, first, weights);
  };
}

OverwriteWeights NetworkPass::edit_cross_weights(Index layer) {
  CrossState& state = cross_[static_cast<std::size_t>(layer)];
  need_noise(state.frame, state.noise);
  if (state.noise.empty()) return {};
  return
      [&state](Index head, Index first, MatrixOut weights) { drop_rows(state.noise, head, first, weights); };
}

HeadRotations NetworkPass::cross_rotations(Index layer) {
  CrossState& state = cross_[static_cast<std::size_t>(layer)];
  const Index most = std::max(token_count(), memory_.rows());
  state.rotations.prepare({state.frame.attention.position}, network_->config().head_width, most, most);
  return state.rotations.of(0);
}

}  // namespace headlight
