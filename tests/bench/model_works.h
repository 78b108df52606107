// Times a whole model of GPT-2 small's shape with random weights.
#pragma once

#include <functional>

#include "tests/bench/works.h"

namespace headlight_bench {

// For texts of 64, 256 and 1,024 tokens, if `wanted` returns true for the count: `model_forward`, from ids to
// the logits of every token; `model_toggle_head_N`, which toggles a head of layer N, and `model_edit_weight`,
// which changes one number of layer 6's W_value, both up to the logits of the last token. Writes a model
// folder of 500 MB and removes it.
void time_models(const std::function<bool(headlight::Index tokens)>& wanted,
                 const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
