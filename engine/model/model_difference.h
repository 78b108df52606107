// Describes the differences between two models as text.
#pragma once

#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/model/model.h"

namespace headlight {

// The changes from `a` to `b`, one line each: "seed 123 → 789", "mask none → causal", "3 tokens have another
// name", "3 numbers of the embeddings". Heads are numbered by `counting`.
std::vector<std::string> model_differences(const Model& a, const Model& b, Counting counting = {});

}  // namespace headlight
