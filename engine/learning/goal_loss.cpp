#include "engine/learning/goal_loss.h"

#include <cmath>
#include <string>

#include "engine/core/error.h"
#include "engine/layer/overwriting.h"

namespace headlight {
namespace {

// Above the numbers that float32 holds with fewer digits.
constexpr float kLeastExactWeight = 1e-30f;

// ln of the sum of exponentials of a row.
double log_of_sum(const MatrixRef& masked, Index row) {
  const auto scores = masked.row(row).cast<double>();
  const double maximum = scores.maxCoeff();
  return maximum + std::log((scores.array() - maximum).exp().sum());
}

// The natural logarithm of the weight in this row and column of `weights`.
double log_weight(const GoalRows& at, const MatrixRef& weights, const MatrixRef& masked, Index row,
                  Index column) {
  const float weight = weights(row, column);
  if (weight >= kLeastExactWeight || std::isnan(weight)) return std::log(static_cast<double>(weight));
  const CellAddress cell = {Stage::Weights, at.sequence, at.head, at.first + row, column};
  const bool softmax = at.layer.attention.normalization != Normalization::Sum && masked.size() > 0;
  if (softmax && !is_overwritten(at.layer, cell))
    return static_cast<double>(masked(row, column)) - log_of_sum(masked, row);
  if (weight > 0) return std::log(static_cast<double>(weight));
  throw Error("something is wanted of the weight " + std::to_string(weight) + " in sequence " +
                  std::to_string(at.sequence + 1) + ", head " + std::to_string(at.head + 1) + ", row " +
                  std::to_string(cell.row + 1) + ", column " + std::to_string(column + 1) +
                  ", which has no logarithm",
              "goal.target", "write 0 there, or \"loss\": \"squared\"");
}

}  // namespace

double squared_loss(const GoalRows& at, const MatrixRef& x, MatrixOut gradient) {
  const Matrix& target = at.goal.target.of(at.sequence, at.head);
  const auto each = static_cast<float>(2 / at.count);
  double sum = 0;
  for (Index row = 0; row < x.rows(); ++row) {
    const auto wanted = target.row(target.rows() == 1 ? 0 : at.first + row);
    for (Index column = 0; column < x.cols(); ++column) {
      const float t = wanted(wanted.size() == 1 ? 0 : column);
      if (std::isnan(t)) {
        gradient(row, column) = 0;
        continue;
      }
      const float away = x(row, column) - t;
      sum += static_cast<double>(away) * static_cast<double>(away);
      gradient(row, column) = each * away;
    }
  }
  return sum / at.count;
}

double cross_entropy_loss(const GoalRows& at, const MatrixRef& weights, const MatrixRef& masked,
                          MatrixOut shares) {
  const Matrix& target = at.goal.target.of(at.sequence, at.head);
  shares.setZero();
  double sum = 0;
  for (Index row = 0; row < weights.rows(); ++row) {
    const double total = target_row_sum(target, at.first + row, weights.cols());
    if (!(total > 0)) continue;
    const auto wanted = target.row(target.rows() == 1 ? 0 : at.first + row);
    for (Index column = 0; column < weights.cols(); ++column) {
      const double share = static_cast<double>(wanted(wanted.size() == 1 ? 0 : column)) / total;
      if (share == 0) continue;
      sum -= share * log_weight(at, weights, masked, row, column);
      shares(row, column) = static_cast<float>(share / at.count);
    }
  }
  return sum / at.count;
}

double least_loss(const Layer& layer, const Goal& goal) {
  if (goal.loss != Loss::CrossEntropy) return 0;
  // Each stored row stands for equally many rows of the stage: the mean over them is that over all.
  double sum = 0, rows = 0;
  for (const Matrix& matrix : goal.target.matrices)
    for (Index row = 0; row < matrix.rows(); ++row) {
      const double total = target_row_sum(matrix, row, layer.key_count());
      if (!(total > 0)) continue;
      ++rows;
      // A single number stands for every key.
      const double each = matrix.cols() == 1 ? static_cast<double>(layer.key_count()) : 1;
      for (const float wanted : matrix.row(row)) {
        const double share = static_cast<double>(wanted) / total;
        if (share > 0) sum -= each * share * std::log(share);
      }
    }
  return rows == 0 ? 0 : sum / rows;
}

}  // namespace headlight
