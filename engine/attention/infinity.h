// Positive infinity in float32: the initial value of minima, negated of maxima.
#pragma once

#include <limits>

namespace headlight {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace headlight
