// The number of a cell where there is none by definition, as where nothing goes from a row to a column.
#pragma once

#include <bit>
#include <cstdint>

namespace headlight {

// A NaN with bits of its own, like R's NA: it keeps them where it is copied, also as a double, while a
// computation that fails gives another NaN. In files both are NaN.
inline constexpr float kNoNumber = std::bit_cast<float>(std::uint32_t{0x7FC00E17});

constexpr bool is_no_number(float value) {
  return std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(kNoNumber);
}

}  // namespace headlight
