// Comparison of two states: the baseline A and the current state B. How far each number has moved.
#pragma once

#include <string>
#include <string_view>

#include "engine/attention/evaluator.h"

namespace headlight {

// What a text calls the two states. The window says "kept" and "now".
struct StateNames {
  std::string_view a = "A", b = "B";
};

// Why a stage of A and that of B cannot be subtracted, such as "A has 6 tokens, B has 7"; "" if they can.
// Heads are matched by number, tokens by position.
std::string shape_difference(const Layer& a, const Layer& b, Stage stage, StateNames names = {});

// The tile of A: content Reference or ValueWeightedReference.
Tile reference_tile(const Evaluator& a, const TileRequest& request);

// B - A, subtracted before pooling: content Difference or ValueWeightedDifference. A cell that is masked or
// dropped in both states keeps its mark and holds 0. A cell that is masked in one of them is marked as
// appeared or vanished, and is infinite only where the stage holds minus infinity. Throws Error if the shapes
// differ. Cost: that of one more matrix.
Tile difference_tile(const Evaluator& a, const Evaluator& b, const TileRequest& request);

// Throws Error if the shapes differ. Cost: one pass over the matrix; returns at most kMostChanges cells.
ChangeList largest_changes(const Evaluator& a, const Evaluator& b, const ChangesRequest& request);

}  // namespace headlight
