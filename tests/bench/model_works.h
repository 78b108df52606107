// Times a whole model of GPT-2 small's shape with random weights, in F32 and in BF16 (rows `bf16_...`).
#pragma once

#include <functional>

#include "tests/bench/works.h"

namespace headlight_bench {

// For texts of 1, 16, 64, 256 and 1,024 tokens, if `wanted` returns true for the count: `model_forward`, from
// ids to the logits of every token. Behind 20 and 256 tokens: `model_append`, from one token more to its
// logits. From 64 tokens on, only in F32: `model_toggle_head_N`, which toggles a head of layer N, and
// `model_edit_weight`, which changes one number of layer 6's W_value, both up to the logits of the last
// token. `read_weights` is computed: the weights' bytes at copy_gb_per_s (see machine_speed.h).
// `keep_panels`: once, before the others of F32. Writes model folders of 500 and 250 MB and removes them.
void time_models(double copy_gb_per_s, const std::function<bool(headlight::Index tokens)>& wanted,
                 const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
