#include "engine/learning/goal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "engine/core/error.h"
#include "engine/layer/overwriting.h"

namespace headlight {
namespace {

// Equal numbers; NaN equals NaN.
bool same_target(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all();
}

std::string place_text(Index sequence, Index head, Index row, Index column) {
  return "sequence " + std::to_string(sequence + 1) + ", head " + std::to_string(head + 1) + ", row " +
         std::to_string(row + 1) + ", column " + std::to_string(column + 1);
}

void check_stage(const Layer& layer, const Goal& goal) {
  const std::string name(stage_info(goal.stage).name);
  if (!stage_exists(layer, goal.stage))
    throw Error("the goal is of " + name + ": " + why_no_stage(layer, goal.stage), "goal.stage",
                "choose a stage that the session has");
  const Projection projection = layer.attention.projection;
  if (goal.stage == Stage::Embeddings &&
      (projection == Projection::Given || projection == Projection::Weights))
    throw Error("the goal is of embeddings, which nothing is computed from", "goal.stage",
                "queries, keys and values, or the weights, are given: choose one of these");
  if (goal.loss == Loss::CrossEntropy && goal.stage != Stage::Weights)
    throw Error("cross_entropy is a loss of weights, the goal is of " + name, "goal.loss",
                "write \"squared\", or \"stage\": \"weights\"");
}

void check_target_axes(const Layer& layer, const Goal& goal) {
  const PairArray& target = goal.target;
  if (target.empty())
    throw Error("the goal has no target", "goal.target", "give the numbers that are wanted");
  const std::array<Index, 4> has = {target.sequences, target.heads, target.rows(), target.columns()};
  const std::array<Index, 4> expected = target_axes(layer, goal.stage);
  constexpr std::array<const char*, 4> kNames = {"sequences", "heads", "rows", "columns"};
  for (std::size_t axis = 0; axis < has.size(); ++axis) {
    if (has[axis] == expected[axis] || has[axis] == 1) continue;
    std::string hint = "its axes are those of " + std::string(stage_info(goal.stage).name) + ": ";
    for (std::size_t i = 0; i < expected.size(); ++i)
      hint += (i > 0 ? " x " : "") + std::to_string(expected[i]);
    throw Error("axis " + std::to_string(axis) + ", " + kNames[axis] + ", has " + std::to_string(has[axis]) +
                    ", expected " + std::to_string(expected[axis]) + (expected[axis] == 1 ? "" : " or 1"),
                "goal.target", hint);
  }
}

void check_target_numbers(const Goal& goal) {
  for (const Matrix& matrix : goal.target.matrices)
    for (Index i = 0; i < matrix.size(); ++i) {
      const float value = matrix.data()[i];
      const std::string cell = "row " + std::to_string(i / matrix.cols() + 1) + ", column " +
                               std::to_string(i % matrix.cols() + 1);
      if (std::isinf(value))
        throw Error(cell + " is infinite", "goal.target",
                    "write a finite number, or \"nan\" where nothing is wanted");
      if (goal.loss == Loss::CrossEntropy && value < 0)
        throw Error(cell + " is below zero", "goal.target",
                    "a row of the target holds shares, which are 0 or more");
    }
}

// Whether the bias closes the pair.
bool bias_closes(const Layer& layer, Index sequence, Index head, Index query, Index key) {
  return !layer.score_bias.empty() && std::isinf(layer.score_bias.at(sequence, head, query, key));
}

// Whether the number of the goal's stage is minus infinity or, with CrossEntropy, a weight of zero, for any
// embeddings and weights.
bool is_closed(const Layer& layer, const Goal& goal, const CellAddress& cell) {
  const bool biased = bias_closes(layer, cell.sequence, cell.head, cell.row, cell.column);
  if (goal.stage == Stage::Biased) return biased;
  if (biased) return !is_overwritten(layer, cell);
  return !layer.may_attend(cell.row, cell.column, cell.sequence, cell.head) && !is_overwritten(layer, cell);
}

// Throws Error if something is wanted of a closed pair.
void check_closed_pairs(const Layer& layer, const Goal& goal) {
  const bool entropy = goal.loss == Loss::CrossEntropy;
  if (!entropy && goal.stage != Stage::Masked && goal.stage != Stage::Biased) return;
  if (layer.attention.projection == Projection::Weights) return;
  const auto [sequences, heads, rows, columns] = target_axes(layer, goal.stage);
  for (Index b = 0; b < sequences; ++b)
    for (Index h = 0; h < heads; ++h)
      for (Index row = 0; row < rows; ++row) {
        if (entropy && !(target_row_sum(goal.target.of(b, h), row, columns) > 0)) continue;
        for (Index column = 0; column < columns; ++column) {
          const float wanted = goal.target.at(b, h, row, column);
          if (std::isnan(wanted) || (entropy && wanted == 0)) continue;
          if (!is_closed(layer, goal, {goal.stage, b, h, row, column})) continue;
          throw Error("something is wanted of a pair that may not attend: " + place_text(b, h, row, column),
                      "goal.target",
                      entropy ? "write 0 there, or open the pair in the mask"
                              : "write \"nan\" there: the number is minus infinity");
        }
      }
}

}  // namespace

bool Goal::operator==(const Goal& other) const {
  return stage == other.stage && loss == other.loss && target.sequences == other.target.sequences &&
         target.heads == other.target.heads &&
         std::equal(target.matrices.begin(), target.matrices.end(), other.target.matrices.begin(),
                    other.target.matrices.end(), same_target);
}

std::array<Index, 4> target_axes(const Layer& layer, Stage stage) {
  return {layer.sequence_count(), stage_heads(layer, stage), stage_rows(layer, stage),
          stage_columns(layer, stage)};
}

PairArray nothing_wanted(const Layer& layer, Stage stage) {
  const auto [sequences, heads, rows, columns] = target_axes(layer, stage);
  PairArray target;
  target.sequences = sequences;
  target.heads = heads;
  target.matrices.assign(static_cast<std::size_t>(sequences * heads),
                         Matrix::Constant(rows, columns, std::numeric_limits<float>::quiet_NaN()));
  return target;
}

double target_row_sum(const Matrix& target, Index row, Index columns) {
  const auto own = target.row(target.rows() == 1 ? 0 : row);
  const double sum = own.cast<double>().sum();
  return own.size() == 1 ? sum * static_cast<double>(columns) : sum;
}

double wanted_count(const Layer& layer, const Goal& goal) {
  const PairArray& target = goal.target;
  const std::array<Index, 4> axes = target_axes(layer, goal.stage);
  // How many numbers of the stage one number of the target stands for.
  Index each = axes[0] / target.sequences * (axes[1] / target.heads) * (axes[2] / target.rows());
  if (goal.loss == Loss::Squared) each *= axes[3] / target.columns();
  double count = 0;
  for (const Matrix& matrix : target.matrices) {
    if (goal.loss == Loss::Squared) {
      count += static_cast<double>(matrix.size() - matrix.array().isNaN().count());
      continue;
    }
    for (Index row = 0; row < matrix.rows(); ++row)
      if (target_row_sum(matrix, row, axes[3]) > 0) ++count;
  }
  return count * static_cast<double>(each);
}

bool is_wantable(const Layer& layer, const CellAddress& weight) {
  if (layer.attention.projection == Projection::Weights) return true;
  return !is_closed(layer, {Stage::Weights, Loss::CrossEntropy, {}}, weight);
}

void validate_goal(const Layer& layer, const Goal& goal) {
  check_stage(layer, goal);
  check_target_axes(layer, goal);
  check_target_numbers(goal);
  if (wanted_count(layer, goal) == 0)
    throw Error("the target wants nothing", "goal.target",
                goal.loss == Loss::Squared ? "replace at least one \"nan\" by a number"
                                           : "give at least one row a number above zero and no \"nan\"");
  check_closed_pairs(layer, goal);
}

}  // namespace headlight
