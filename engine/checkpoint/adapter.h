// A low-rank adapter (LoRA, Hu et al. 2021, arXiv 2106.09685) as the peft library saves it, added to the
// weights of its base.
#pragma once

#include <filesystem>
#include <string>

#include "engine/checkpoint/checkpoint.h"

namespace headlight {

enum class AdapterUse { Added, LeftOut };

// Replaces each weight W, out x in, for which the adapter in `folder` has A, r x in, and B, out x r, by W + s
// B A, in float64 before the sum is rounded; s is alpha / r, or alpha / sqrt(r) with use_rslora. A column for
// each output (fan_in_fan_out) adds the transpose. LeftOut: the weights stay. Either way the base counts
// the adapter's file as its own, and the sentence that is returned tells which it is. Throws Error for
// adapters of another kind, for tensors without a weight in the base, and for shapes that do not go together.
std::string apply_adapter(const std::filesystem::path& folder, Checkpoint& base, AdapterUse use);

}  // namespace headlight
