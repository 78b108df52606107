// One step of an optimizer on a vector of numbers, as PyTorch 1.13 computes it in float32.
#pragma once

#include "engine/goals/training_settings.h"
#include "engine/learning/trained_numbers.h"

namespace headlight {

// What an optimizer remembers from step to step. Empty before the first one.
struct OptimizerState {
  ParameterVector first;   // Sgd with momentum: the velocity; Adam and AdamW: the mean of the gradients, m
  ParameterVector second;  // Adam and AdamW: the mean of their squares, v
  Index steps = 0;         // t
};

// Takes one step; g: the gradient.
//   Sgd:           u = g in the first step, then momentum u + g;  p = p - rate u
//   Adam:          m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//                  p = p - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)    (Kingma and Ba 2015)
//   AdamW:         p = p (1 - rate decay), then as Adam                           (Loshchilov and Hutter
//   2019)
// The vectors have one size, which is that of all steps of a state.
void optimizer_step(const TrainingSettings& settings, const ParameterVector& gradient, OptimizerState& state,
                    ParameterVector& parameters);

}  // namespace headlight
