// What maxima and minima begin with.
#pragma once

#include <limits>

namespace headlight {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace headlight
