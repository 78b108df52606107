#include "engine/learning/number_goals.h"

#include <cmath>
#include <limits>
#include <utility>

#include "engine/core/error.h"
#include "engine/learning/moved_goal.h"

namespace headlight {
namespace {

constexpr float kFree = std::numeric_limits<float>::quiet_NaN();

// A target with all four axes, so that each number can differ.
PairArray whole(const Layer& layer, const Goal& goal) {
  PairArray target = nothing_wanted(layer, goal.stage);
  for (Index sequence = 0; sequence < target.sequences; ++sequence)
    for (Index head = 0; head < target.heads; ++head) {
      Matrix& matrix = target.matrices[static_cast<std::size_t>(target.index(sequence, head))];
      for (Index row = 0; row < matrix.rows(); ++row)
        for (Index column = 0; column < matrix.cols(); ++column)
          matrix(row, column) = goal.target.at(sequence, head, row, column);
    }
  return target;
}

// None if the goal does not fit the layer: nothing is wanted of a number that it may be wanted of.
std::optional<Goal> fitting(const Layer& layer, Goal goal) {
  try {
    validate_goal(layer, goal);
  } catch (const Error&) {
    return std::nullopt;
  }
  return goal;
}

}  // namespace

std::optional<Goal> wanted_number(const Layer& layer, const Goal* before, const CellAddress& cell,
                                  std::optional<float> number) {
  const bool continues =
      before && before->stage == cell.stage && before->loss == Loss::Squared && target_fits(layer, *before);
  Goal goal = {cell.stage, Loss::Squared, {}};
  goal.target = continues ? whole(layer, *before) : nothing_wanted(layer, cell.stage);
  goal.target.matrices[static_cast<std::size_t>(goal.target.index(cell.sequence, cell.head))](
      cell.row, cell.column) = number.value_or(kFree);
  if (auto made = fitting(layer, std::move(goal))) return made;
  // Of a closed pair nothing can be wanted; a goal without wishes is none.
  return number && continues ? std::optional<Goal>(*before) : std::nullopt;
}

std::optional<Goal> same_weights(const Layer& layer, std::vector<Matrix> weights) {
  const auto [sequences, heads, rows, columns] = target_axes(layer, Stage::Weights);
  if (weights.size() != static_cast<std::size_t>(sequences * heads)) return std::nullopt;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    Matrix& matrix = weights[i];
    if (matrix.rows() != rows || matrix.cols() != columns) return std::nullopt;
    const auto sequence = static_cast<Index>(i) / heads, head = static_cast<Index>(i) % heads;
    for (Index row = 0; row < rows; ++row) {
      bool holds = matrix.row(row).allFinite() && (matrix.row(row).array() >= 0.0f).all();
      for (Index column = 0; holds && column < columns; ++column)
        holds = matrix(row, column) == 0 || is_wantable(layer, {Stage::Weights, sequence, head, row, column});
      if (!holds) matrix.row(row).setConstant(kFree);
    }
  }
  return fitting(layer, {Stage::Weights, Loss::CrossEntropy, {sequences, heads, std::move(weights)}});
}

std::optional<Goal> same_numbers(const Layer& layer, Stage stage, std::vector<Matrix> numbers) {
  const auto [sequences, heads, rows, columns] = target_axes(layer, stage);
  if (numbers.size() != static_cast<std::size_t>(sequences * heads)) return std::nullopt;
  for (Matrix& matrix : numbers) {
    if (matrix.rows() != rows || matrix.cols() != columns) return std::nullopt;
    matrix = matrix.array().isFinite().select(matrix, kFree);
  }
  return fitting(layer, {stage, Loss::Squared, {sequences, heads, std::move(numbers)}});
}

}  // namespace headlight
