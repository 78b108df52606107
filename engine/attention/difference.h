// Two states side by side: A, which was kept, and B, the present one. How far each number has moved.
#pragma once

#include <string>

#include "engine/attention/evaluator.h"

namespace headlight {

// Why a stage of A cannot be taken from that of B: "A has 6 tokens, B has 7"; "" when it can. Heads are
// compared by their number, tokens by their position.
std::string shape_difference(const Model& a, const Model& b, Stage stage);

// The tile of A: content Reference.
Tile reference_tile(const Evaluator& a, const TileRequest& request);

// B - A, pooled after the subtraction: content Difference. A cell that is masked or dropped in both keeps its
// mark and holds 0; one that is masked in one of them is marked as appeared or vanished, and infinite only
// where the stage holds minus infinity. Throws Error when shapes differ. Cost: that of one matrix more.
Tile difference_tile(const Evaluator& a, const Evaluator& b, const TileRequest& request);

// Throws Error when shapes differ. Cost: one pass; at most kMostChanges are kept.
ChangeList largest_changes(const Evaluator& a, const Evaluator& b, const ChangesRequest& request);

}  // namespace headlight
