// Works on a whole model of GPT-2 small's shape, with random weights.
#pragma once

#include <functional>

#include "tests/bench/works.h"

namespace headlight_bench {

// For texts of 64, 256 and 1,024 tokens of those that are wanted: `model_forward`, from ids to the logits of
// every token; `model_toggle_head_N`, a head of layer N switched, and `model_edit_weight`, a number of layer
// 6's W_value, to the logits of the last token. The folder, 500 MB, is made for it and removed.
void time_models(const std::function<bool(headlight::Index tokens)>& wanted,
                 const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
