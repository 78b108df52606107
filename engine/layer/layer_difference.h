// Describes the differences between two models as text.
#pragma once

#include <string>
#include <vector>

#include "engine/core/counting.h"
#include "engine/layer/layer.h"

namespace headlight {

// The changes from `a` to `b`, one line each: "seed 123 → 789", "mask none → causal", "3 tokens have another
// name", "3 numbers of the embeddings". Heads are numbered by `counting`.
std::vector<std::string> layer_differences(const Layer& a, const Layer& b, Counting counting = {});

}  // namespace headlight
