#include "engine/learning/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

void sgd_step(const TrainingSettings& settings, const ParameterVector& gradient, OptimizerState& state,
              ParameterVector& parameters) {
  const auto rate = static_cast<float>(settings.rate);
  if (settings.momentum == 0) {
    parameters -= rate * gradient;
    return;
  }
  if (state.first.size() == 0)
    state.first = gradient;
  else
    state.first = static_cast<float>(settings.momentum) * state.first + gradient;
  parameters -= rate * state.first;
}

void adam_step(const TrainingSettings& settings, const ParameterVector& gradient, OptimizerState& state,
               ParameterVector& parameters) {
  const auto [b1, b2] = settings.betas;
  if (state.first.size() == 0) {
    state.first = ParameterVector::Zero(gradient.size());
    state.second = ParameterVector::Zero(gradient.size());
  }
  if (settings.optimizer == OptimizerKind::AdamW)
    parameters *= static_cast<float>(1 - settings.rate * settings.decay);
  state.first = static_cast<float>(b1) * state.first + static_cast<float>(1 - b1) * gradient;
  state.second = static_cast<float>(b2) * state.second + static_cast<float>(1 - b2) * gradient.square();
  const auto steps = static_cast<double>(state.steps);
  const auto rate = static_cast<float>(settings.rate / (1 - std::pow(b1, steps)));
  const auto root = static_cast<float>(1 / std::sqrt(1 - std::pow(b2, steps)));
  // An epsilon that float32 rounds to 0 would make 0 / 0 of a number without a gradient.
  const float epsilon = std::max(static_cast<float>(settings.epsilon), std::numeric_limits<float>::min());
  parameters -= rate * state.first / (root * state.second.sqrt() + epsilon);
}

}  // namespace

void optimizer_step(const TrainingSettings& settings, const ParameterVector& gradient, OptimizerState& state,
                    ParameterVector& parameters) {
  ++state.steps;
  if (settings.optimizer == OptimizerKind::Sgd)
    sgd_step(settings, gradient, state, parameters);
  else
    adam_step(settings, gradient, state, parameters);
}

}  // namespace headlight
