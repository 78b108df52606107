// The likeliest next tokens with their probabilities, next to those of the kept state.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// Draws as many as fit into `height`. Probed as "model.prediction.<rank>".
void prediction_lines(UiContext& ui, float height);
// The height in which all of them fit, in pixels. Precondition: a model is open.
float prediction_lines_height(const UiContext& ui);

}  // namespace headlight
