// The engine's hand-written loops beside the same in Eigen.
#pragma once

#include <functional>

#include "tests/bench/works.h"

namespace headlight_bench {

// For T of 6, 256 and 1,024 tokens of those that are wanted, and d of 64: a row for each loop, with its time
// and the ratio to Eigen's. Both take turns on one thread, with the same instructions. Throws where the two
// disagree on the numbers.
void time_loops(const std::function<bool(headlight::Index tokens)>& wanted,
                const std::function<void(const Row&)>& report);

}  // namespace headlight_bench
