// Checks, before a change is made, whether the stages of a layer fit in the memory budget.
#pragma once

#include <optional>

#include "engine/core/error.h"
#include "engine/layer/layer.h"

namespace headlight {

// The settings that need too much memory, each with a message that describes the remedy; empty if all fits.
struct SizeFaults {
  std::optional<Error> normalization, dropout;
  double bytes = 0;  // size of the T x T stages

  bool any() const { return normalization || dropout; }
};
SizeFaults size_faults(const Layer& layer, const AttentionSettings& settings, double memory_budget);

// Throws Error if a change adds a fault or makes one larger. A layer that is too large in two ways can thus
// be corrected in two steps.
void refuse_worse(const SizeFaults& before, const SizeFaults& after);

}  // namespace headlight
