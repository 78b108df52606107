// Times the engine's hand-written loops against the same loops in Eigen.
#pragma once

#include <functional>

#include "tests/bench/works.h"

namespace headlight_bench {

// One row for each loop at T of 6, 256 and 1,024 tokens, if `wanted` returns true for T, and d of 64: its
// time and the ratio to Eigen's. The two alternate on one thread and use the same instructions. Throws
// std::runtime_error if their results differ.
void time_loops(const std::function<bool(headlight::Index tokens)>& wanted,
                const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
