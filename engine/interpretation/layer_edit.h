// Edits of the layer that a window shows, as changes of its model.
#pragma once

#include "engine/interpretation/open_model.h"
#include "engine/layer/edit.h"

namespace headlight {

// Returns `work` after an edit of its shown layer: weights, disabled heads, settings (LayerSetting), and X
// but of cross-attention become changes of the place `work.layer`; what equals the checkpoint's is none.
// layer: the layer of `work` (layer_at) before the edit. Throws Error for an edit that does not fit the
// layer (apply_edit), and for one after which it would not be a layer of the model: other shapes, projections
// or tokens, numbers that other layers compute, or dropout that continues a stream that the layer has not.
OpenModel with_layer_edit(const OpenModel& work, const Edit& edit, const Layer& layer);

}  // namespace headlight
