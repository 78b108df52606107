#include "engine/learning/beam_goals.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

bool is_open(const Layer& layer, const CellAddress& beam, Index key) {
  return key >= 0 && key < layer.key_count() &&
         is_wantable(layer, {Stage::Weights, beam.sequence, beam.head, beam.row, key});
}

// Nothing is wanted of other rows. Weights of pairs that are closed are zero for any parameters.
std::optional<Goal> row_goal(const Layer& layer, const CellAddress& beam, Matrix row) {
  for (Index key = 0; key < row.cols(); ++key)
    if (!is_open(layer, beam, key)) row(0, key) = 0;
  if (!row.allFinite() || !(row.sum() > 0)) return std::nullopt;
  Goal goal;
  goal.target = nothing_wanted(layer, Stage::Weights);
  const auto matrix = static_cast<std::size_t>(goal.target.index(beam.sequence, beam.head));
  goal.target.matrices[matrix].row(beam.row) = row;
  return goal;
}

}  // namespace

bool can_be_pulled(const Layer& layer, const TakenBeam& beam) {
  return layer.attention.projection != Projection::Weights && beam.row.cols() == layer.key_count() &&
         beam.row.allFinite() && (beam.row.array() >= 0.0f).all() && beam.row.sum() > 0 &&
         is_open(layer, beam.weight, beam.weight.column);
}

std::optional<Goal> moved_beam(const Layer& layer, const TakenBeam& beam, double place) {
  place = std::clamp(place, 0.0, static_cast<double>(layer.key_count() - 1));
  const Index low = static_cast<Index>(std::floor(place)), high = low + 1;
  const bool low_open = is_open(layer, beam.weight, low), high_open = is_open(layer, beam.weight, high);
  if (!low_open && !high_open) return std::nullopt;
  double to_high = place - static_cast<double>(low);
  if (!high_open) to_high = 0;
  if (!low_open) to_high = 1;
  Matrix row = beam.row;
  const float moved = std::exchange(row(0, beam.weight.column), 0.0f);
  if (low_open) row(0, low) += moved * static_cast<float>(1 - to_high);
  if (high_open) row(0, high) += moved * static_cast<float>(to_high);
  return row_goal(layer, beam.weight, std::move(row));
}

std::optional<Goal> widened_beam(const Layer& layer, const TakenBeam& beam, double share) {
  if (!is_open(layer, beam.weight, beam.weight.column)) return std::nullopt;
  share = std::clamp(share, 0.0, 1.0);
  Matrix row = beam.row;
  row(0, beam.weight.column) = 0;
  const float others = row.sum();
  // A weight that has the row alone takes nothing from others, and leaves them equal parts.
  if (!(others > 0))
    for (Index key = 0; key < row.cols(); ++key)
      if (key != beam.weight.column && is_open(layer, beam.weight, key)) row(0, key) = 1;
  const float sum = row.sum();
  if (!(sum > 0)) return std::nullopt;
  row *= static_cast<float>(1 - share) / sum;
  row(0, beam.weight.column) = static_cast<float>(share);
  return row_goal(layer, beam.weight, std::move(row));
}

double wanted_weight(const Goal& goal, const CellAddress& weight) {
  const Matrix& target = goal.target.of(weight.sequence, weight.head);
  return static_cast<double>(target(weight.row, weight.column)) /
         target_row_sum(target, weight.row, target.cols());
}

}  // namespace headlight
