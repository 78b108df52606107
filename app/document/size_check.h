// Whether a model can be computed in the memory that stages may take: asked before a change is made.
#pragma once

#include <optional>

#include "engine/core/error.h"
#include "engine/model/model.h"

namespace headlight {

// What stands in the way, each with a message that says how to mend it; empty where all fits.
struct SizeFaults {
  std::optional<Error> normalization, dropout;
  double bytes = 0;  // that the T x T stages would take

  bool any() const { return normalization || dropout; }
};
SizeFaults size_faults(const Model& model, const AttentionSettings& settings, double memory_budget);

// Throws Error where a change would bring a fault that was not there, or make one that is there larger. So a
// model that is too large in two ways can be mended in two steps.
void refuse_worse(const SizeFaults& before, const SizeFaults& after);

}  // namespace headlight
