// ASCII characters: tests and lower case that do not depend on the locale. Other bytes stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace headlight {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_capital(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_letter(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z');
}

// A byte of a letter in UTF-8: an ASCII letter, or a byte of any character beyond ASCII.
constexpr bool is_letter_byte(char c) {
  return is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}

constexpr char lowered(char c) {
  return is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lowered(std::string_view text) {
  std::string low(text);
  for (char& c : low)
    c = lowered(c);
  return low;
}

}  // namespace headlight
