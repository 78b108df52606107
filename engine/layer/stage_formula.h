// The formula of a stage under the current settings, and its shape, for cards and captions.
#pragma once

#include <string>

#include "engine/layer/stage.h"

namespace headlight {

// "Q = X W_q", "ω / √dₖ", "no dropout".
std::string stage_formula(const Layer& layer, Stage stage);
std::string stage_shape_text(const Layer& layer, Stage stage);  // "2 × 6 × 6", without an axis of one head

}  // namespace headlight
