// A goal after a change of the layer's tokens.
#pragma once

#include <optional>

#include "engine/learning/goal.h"

namespace headlight {

// Whether the target's axes are those of the goal's stage, or 1.
bool target_fits(const Layer& layer, const Goal& goal);

// The goal of `before` in `after`: its rows and columns move with their tokens; of new tokens nothing is
// wanted, and with CrossEntropy no share of them; what was wanted of removed ones is gone. None where that
// has no meaning: of other numbers of heads, sequences or columns than tokens, and where nothing is left.
// Precondition: the goal fits `before`.
std::optional<Goal> moved_goal(const Layer& before, const Goal& goal, const Layer& after);

}  // namespace headlight
