// The derivation of one number's gradient by the chain rule: from the gradients of the numbers that are
// computed from it.
#pragma once

#include <optional>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/learning/gradients.h"

namespace headlight {

// The rule of a step; x: the number that the step leads to, y: what is computed from it.
enum class GradientRule {
  Goal,          // of the loss itself: 2 (x - t) / n, or -t / (w n)
  Sum,           // the sum over all y of dL/dy times the factor of x in y
  Noise,         // times the multiplier that dropout drew
  Softmax,       // w (dL/dw - sum_k w_k dL/dw_k)
  DividedBySum,  // (dL/dw - sum_k w_k dL/dw_k) / sum of the row
  Cap,           // times 1 - (y / cap)^2
  Scale,         // times the scale
  Copied,        // y is x, or x plus a bias
  Closed,        // the mask closes the pair: the loss does not depend on x
  NoEffect,      // the head is off, or x comes after the goal
  Added,         // x enters several stages: the sum of what each of them says
};

struct GradientTerm {
  float gradient = 0, factor = 0;   // the gradient is 0 of a number that was overwritten: it passes on none
  CellAddress of;                   // whose gradient it is
  std::optional<CellAddress> cell;  // the factor, a number of a stage or of an input; neither: a constant
  std::optional<InputCell> input;
  float product() const { return gradient * factor; }
};

struct GradientStep {
  Stage stage = Stage::Weights;  // whose gradient the step computes; of an input: the stage it enters
  GradientRule rule = GradientRule::Sum;
  float value = 0;
  // Sum and Added: the summands. Softmax, DividedBySum: those of the row's mean. Else one, or none.
  std::vector<GradientTerm> terms;
  float own = 0;                // Goal: x. Softmax, DividedBySum: dL/dw of the cell
  float scale = 0;              // Goal: n. Softmax: w. DividedBySum: the sum of the row
  std::optional<float> target;  // Goal: t, of a row's shares that sum to 1; none: nothing is wanted
};

struct GradientTrace {
  float value = 0;
  std::vector<GradientStep> steps;  // the last one computes the value
};

// Each throws Error if there is no such number, or if `gradients` lacks those of a stage that the derivation
// reads. Precondition: the evaluator is fresh, `gradients` are those of its model and of the goal. Cost: that
// of a row of each stage, and of a column for keys, values and weights.
GradientTrace trace_gradient(const Evaluator& evaluator, const Goal& goal, const Gradients& gradients,
                             const CellAddress& cell);
// Of embeddings, key embeddings, weights and biases.
GradientTrace trace_gradient(const Evaluator& evaluator, const Goal& goal, const Gradients& gradients,
                             const InputCell& cell);

}  // namespace headlight
