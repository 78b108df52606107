#include "engine/learning/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

float single(double number) {
  return static_cast<float>(number);
}

// 1 - beta^step
double unbiasing(double beta, Index step) {
  return 1 - std::pow(beta, static_cast<double>(step));
}

}  // namespace

Index stored_per_number(const OptimizerSettings& settings) {
  if (settings.optimizer == OptimizerKind::Sgd) return settings.momentum != 0 ? 1 : 0;
  return 2;
}

OptimizerStep::OptimizerStep(const OptimizerSettings& settings, double rate, Index step)
    : sgd_(settings.optimizer == OptimizerKind::Sgd),
      stores_mean_(stored_per_number(settings) > 0),
      rate_(single(rate)),
      momentum_(single(settings.momentum)),
      beta1_(single(settings.betas[0])),
      beta2_(single(settings.betas[1])),
      rest1_(single(1 - settings.betas[0])),
      rest2_(single(1 - settings.betas[1])),
      kept_(settings.optimizer == OptimizerKind::AdamW ? single(1 - rate * settings.decay) : 1.0f),
      unbiased_rate_(single(rate / unbiasing(settings.betas[0], step))),
      unbiased_root_(single(1 / std::sqrt(unbiasing(settings.betas[1], step)))),
      // One that float32 rounds to 0 would make 0 / 0 of a number without a gradient.
      epsilon_(std::max(single(settings.epsilon), std::numeric_limits<float>::min())) {}

void OptimizerStep::move(const Numbers& at) const {
  Piece numbers(at.numbers, at.count);
  const Eigen::Map<const Eigen::ArrayXf> gradient(at.gradient, at.count);
  if (!stores_mean_) {
    numbers -= rate_ * gradient;
    return;
  }
  Piece mean(at.mean, at.count);
  if (!sgd_) return move_by_adam(at, numbers, mean);
  mean = momentum_ * mean + gradient;
  numbers -= rate_ * mean;
}

void OptimizerStep::move_by_adam(const Numbers& at, Piece& numbers, Piece& mean) const {
  const Eigen::Map<const Eigen::ArrayXf> gradient(at.gradient, at.count);
  Piece square(at.square, at.count);
  mean = beta1_ * mean + rest1_ * gradient;
  square = beta2_ * square + rest2_ * gradient.square();
  numbers = kept_ * numbers - unbiased_rate_ * mean / (square.sqrt() * unbiased_root_ + epsilon_);
}

}  // namespace headlight
