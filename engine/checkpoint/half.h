// IEEE half precision to float32.
#pragma once

#include <bit>
#include <cstdint>

namespace headlight {

// A multiplication rebiases the exponent, which also normalizes subnormal numbers;
// results of 65536 or above were infinity or NaN. There is no branch in the common case, so that compilers
// can vectorize this.
inline float float_from_half(std::uint16_t half) {
  constexpr float kExponentMoved = 0x1p112f;
  const float magnitude =
      std::bit_cast<float>(static_cast<std::uint32_t>(half & 0x7fffu) << 13) * kExponentMoved;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(magnitude);
  bits |= magnitude >= 65536.0f ? 0x7f800000u : 0u;
  return std::bit_cast<float>(bits | static_cast<std::uint32_t>(half & 0x8000u) << 16);
}

}  // namespace headlight
