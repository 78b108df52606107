// What two models differ in, in words.
#pragma once

#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/model/model.h"

namespace headlight {

// From `a` to `b`, one line each, the plainest first: "seed 123 → 789", "mask none → causal", "3 embeddings
// edited". None when the two compute the same. Names of tokens count as well.
// Heads are named as `counting` says.
std::vector<std::string> model_differences(const Model& a, const Model& b, Counting counting = {});

}  // namespace headlight
