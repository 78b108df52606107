// One layer of a model as a Layer: the evaluator computes for it what the layer computes.
#pragma once

#include <optional>

#include "engine/layer/stage.h"
#include "engine/network/network_pass.h"

namespace headlight {

// X is the input of attention, after its norm; weights are widened, W of shape d x columns. If the model
// norms or cuts off its queries and keys, these and the values are given instead, before rotary positions.
// Throws Stopped.
// Of cross-attention, keys and values are of the memory and its tokens.
Layer layer_at(NetworkPass& pass, LayerPlace place);

// The settings of the checkpoint's layer as for `tokens` tokens, and its masks and biases of scores: no text,
// no weights. `network`: of the whole model.
Layer layer_settings_of(const Network& network, LayerPlace place, Index tokens);
// A projection of the checkpoint's layer, widened: d x columns (Output: H d_v x d), and its bias if it has
// one.
OwnWeights stored_weights(const Network& network, LayerPlace place, Parameter parameter);

// Whether the layer's queries, keys and values are given instead of its input. config: of the layer's side.
bool gives_heads(const NetworkConfig& config);

// The stage of the pass that overwriting this stage of the layer patches; nullopt if it cannot be
// overwritten.
std::optional<PatchStage> patch_stage_of(const Layer& layer, Stage stage);

// Display labels of the pass's tokens.
std::vector<std::string> token_labels(const NetworkPass& pass);

}  // namespace headlight
