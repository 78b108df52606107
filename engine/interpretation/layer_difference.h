// What was edited of the layer that a window shows, as changes of its model.
#pragma once

#include "engine/interpretation/model_work.h"

namespace headlight {

// A layer as its checkpoint has it, for the text and what is changed below it.
struct LayerBase {
  std::shared_ptr<const Model> frame;  // weights and settings
  Matrix input;                        // X, T x d; empty where queries and keys are given
};
LayerBase layer_base(NetworkPass& pass, Index layer);

// The work with what `edited`, the layer that is shown, has other than its base: its weights, heads that are
// off, scale, mask and X become changes. Throws Error when it is no more a layer of the model: which setting
// or shape, and how to mend it.
ModelWork with_layer(const ModelWork& work, const LayerBase& base, const Model& edited);

}  // namespace headlight
