// The gradients of the inputs, for the grids.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// dL/d(input), of the input's shape; null while gradients are not shown or not known, or if there are none of
// this input.
const Matrix* input_gradient(const UiContext& ui, const InputId& input);

}  // namespace headlight
