// Numbers that are not finite.
#pragma once

#include <limits>

namespace headlight_test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace headlight_test
