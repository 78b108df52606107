// Nudges: steps of plain gradient descent by hand, x - rate dL/dx.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// The row of buttons below the gradient of a cell of an input: the number, its matrix, or all matrices and
// embeddings that have a gradient move a step against it.
//
// Names: "inspector.nudge.<number|matrix|all>".
void nudge_buttons(UiContext& ui, const InputCell& cell);

}  // namespace headlight
