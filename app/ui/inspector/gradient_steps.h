// The derivation of a gradient as steps of text and numbers, drawn like that of a value.
#pragma once

#include "app/ui/inspector/derivation.h"
#include "engine/learning/gradient_trace.h"

namespace headlight {

// The chain rule from the goal to the number, a step a line. Numbers lead to the cells whose gradients or
// values they are.
Derivation gradient_derivation(const Layer& layer, Loss loss, const GradientTrace& trace, Counting counting);

}  // namespace headlight
