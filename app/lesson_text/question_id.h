// What tells one question of a lesson from another, and from the same one of another version of the lesson.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

// The id of each step's question; "" for a step without one. Two questions have the same id if they ask for
// the same (kind, target, options, what is right, the change) of the same numbers (tokens, inputs, weights,
// settings): titles, texts, replies and other steps do not matter. A question that the lesson asks twice has
// "#2" behind its id the second time. `opened`: the layer that the lesson opens with; the layer of a whole
// layer counts by its tokens and settings alone, because its numbers are computed and may differ in their
// last bits between processors.
std::vector<std::string> question_ids(const Session& session, const Layer& opened);

}  // namespace headlight
