// ASCII character tests that do not depend on the locale.
#pragma once

namespace headlight {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace headlight
