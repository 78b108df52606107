// One layer of a model as the window knows attention: what its evaluator computes is what the layer does.
#pragma once

#include <optional>

#include "engine/model/stage.h"
#include "engine/network/network_pass.h"

namespace headlight {

// X is what the layer reads, behind its norm; weights are widened, W of shape d x columns. Where heads of
// queries and keys are normed, those and the values are given instead, before positions are turned into them.
// Throws Stopped.
Model layer_model(NetworkPass& pass, Index layer);

// The same as the checkpoint has it, for a text of so many tokens and without it: weights and settings alone.
Model layer_frame_of(const Network& network, Index layer, Index tokens);

// Where numbers of the layer's stage are overwritten in the pass; none where they cannot be.
std::optional<PatchStage> patch_stage_of(const Model& layer, Stage stage);

// The labels of the pass's tokens, as people read them.
std::vector<std::string> token_labels(const NetworkPass& pass);

}  // namespace headlight
