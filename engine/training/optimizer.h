// An optimizer over all weights of a model; the rate of each step.
#pragma once

#include <utility>
#include <vector>

#include "engine/learning/optimizer.h"
#include "engine/training/trained_weights.h"

namespace headlight {

class ModelOptimizer {
 public:
  ModelOptimizer(const OptimizerSettings& settings, const TrainedWeights& weights);
  // What the next step depends on beside the weights: how many steps there were, and the moving means of the
  // gradients and of their squares by tensor, as far as the optimizer has them.
  struct State {
    Index steps = 0;
    std::vector<Matrix> mean, square;
  };
  const State& state() const { return state_; }
  // Precondition: of an optimizer with the same settings and tensors.
  void take(State state) { state_ = std::move(state); }
  // Moves the weights against the gradients. rate: the learning rate of this step.
  void step(double rate, const TensorGradients& gradients, TrainedWeights& weights);

 private:
  OptimizerSettings settings_;
  State state_;  // its means hold the momentum of Sgd
};

// Divides the gradients so that the root of the sum of all their squares is at most `most` (as
// torch.nn.utils.clip_grad_norm_); 0: no limit. Returns that root before.
double clip_gradients(double most, TensorGradients& gradients);

enum class RateSchedule { Constant, Cosine };

// The rate grows from 0 through `warmup` steps and then stays, or falls to 0 by half a cosine (as
// transformers' get_constant_schedule_with_warmup and get_cosine_schedule_with_warmup): the first step with a
// warmup has a rate of 0.
struct LearningRate {
  double most = 0;
  RateSchedule schedule = RateSchedule::Constant;
  Index warmup = 0, steps = 0;
  double at(Index step) const;  // from 0 on
};

}  // namespace headlight
