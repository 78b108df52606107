// Times a step of the training of a small model.
#pragma once

#include <functional>

#include "tests/bench/works.h"

namespace headlight_bench {

// `train_step`: loss, gradients and AdamW's step for 8 windows of 128 tokens through a GPT-2 of 4 layers,
// width 256, 8 heads and 2,000 tokens, if `wanted` accepts 128 tokens.
void time_training(const std::function<bool(headlight::Index tokens)>& wanted,
                   const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
