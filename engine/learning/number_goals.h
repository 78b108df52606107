// Goals for numbers of any stage: single ones, and those of another state of the layer.
#pragma once

#include <optional>
#include <vector>

#include "engine/learning/goal.h"

namespace headlight {

// The goal, as squared loss, after a number has been wanted of a cell, or (none) nothing any more. `before`:
// null, or another goal; what it wants of another stage, or as a cross entropy, is dropped. None if nothing
// is left that is wanted. A number that is always minus infinity is left as it is.
std::optional<Goal> wanted_number(const Layer& layer, const Goal* before, const CellAddress& cell,
                                  std::optional<float> number);

// The goal, as squared loss, that the stage has these numbers, by sequence * heads + head: as of another
// state. Nothing is wanted where they are not finite. None if that leaves nothing, or if the shapes differ.
std::optional<Goal> same_numbers(const Layer& layer, Stage stage, std::vector<Matrix> numbers);

// The goal, as cross entropy, that the heads have these weights, by sequence * heads + head. Rows that are
// not finite, sum to 0 or want something of a closed pair are left out. None if that leaves nothing, or if
// the shapes differ.
std::optional<Goal> same_weights(const Layer& layer, std::vector<Matrix> weights);

}  // namespace headlight
