// Goals for one row of the weights, as when a beam of a picture is pulled: the weight of a query on a key.
#pragma once

#include <optional>

#include "engine/learning/goal.h"

namespace headlight {

// A weight, and its row as it was when it was taken. Precondition: the numbers are those of a softmax or of a
// division by the sum: finite, 0 or more, 1 in sum.
struct TakenBeam {
  CellAddress weight;  // of Stage::Weights
  Matrix row;          // 1 x Tk
};

// Whether the row can be led elsewhere: it has numbers above zero, and the weights are computed and not
// given.
bool can_be_pulled(const Layer& layer, const TakenBeam& beam);

// The weight moves to a place among the keys, in keys from the middle of the first; between two keys it is
// shared by how near each is. The other weights of the row are wanted as they are. What would go to a pair
// that the mask or the bias closes goes to the open one of the two; none if both are closed.
std::optional<Goal> moved_beam(const Layer& layer, const TakenBeam& beam, double place);

// The weight becomes `share`, 0 to 1, and the others of the row keep their proportions. None if there is no
// other, and if the pair is closed.
std::optional<Goal> widened_beam(const Layer& layer, const TakenBeam& beam, double share);

// The weight that the goal of a row wants of a key: the row divided by its sum.
double wanted_weight(const Goal& goal, const CellAddress& weight);

}  // namespace headlight
