#include "engine/learning/backward_kernels.h"

#include <limits>

namespace headlight {

void softmax_backward(const MatrixRef& weights, MatrixOut gradient) {
  for (Index row = 0; row < weights.rows(); ++row) {
    const float mean = weights.row(row).dot(gradient.row(row));
    gradient.row(row) = (weights.row(row).array() * (gradient.row(row).array() - mean)).matrix();
  }
}

void softmax_entropy_backward(const MatrixRef& weights, MatrixOut shares) {
  for (Index row = 0; row < weights.rows(); ++row) {
    const float sum = shares.row(row).sum();
    shares.row(row) = sum * weights.row(row) - shares.row(row);
  }
}

void sum_backward(const MatrixRef& masked, const MatrixRef& weights, MatrixOut gradient) {
  constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  for (Index row = 0; row < weights.rows(); ++row) {
    const auto open = (masked.row(row).array() != kMinusInfinity).eval();
    const float sum = open.select(masked.row(row).array(), 0.0f).sum();
    const float mean = weights.row(row).dot(gradient.row(row));
    gradient.row(row) = open.select((gradient.row(row).array() - mean) / sum, 0.0f).matrix();
  }
}

void cap_backward(const MatrixRef& capped, double cap, MatrixOut gradient) {
  const auto inverse = static_cast<float>(1 / cap);
  gradient.array() *= 1.0f - (capped.array() * inverse).square();
}

}  // namespace headlight
