// Turns edits of the layer that a window shows into changes of its model.
#pragma once

#include "engine/interpretation/open_model.h"

namespace headlight {

// A layer as its checkpoint has it, for the current text and the changes below it.
struct LayerBase {
  std::shared_ptr<const Model> frame;  // weights and settings
  Matrix input;                        // X, T x d; empty where queries and keys are given
  Matrix memory;                       // of cross-attention: what keys and values are made of
};
LayerBase layer_base(NetworkPass& pass, LayerPlace place);

// Returns `work` with the differences between `edited`, the layer that is shown, and its base as changes:
// weights, disabled heads, settings (LayerSetting), and X but of cross-attention. Throws Error if it is no
// longer a layer of the model: its shapes, projections or tokens are others, or its dropout continues a
// stream that the model's layer has not. The message names it, and how to fix it.
OpenModel with_layer(const OpenModel& work, const LayerBase& base, const Model& edited);

}  // namespace headlight
