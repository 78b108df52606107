// GPT-2's letters for bytes, with which a vocabulary of text can hold any bytes: a printable byte is its own
// letter, the others are U+0100 and on, in their order. The space is "Ġ".
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headlight {

constexpr bool is_its_own_letter(std::size_t byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

// byte -> letter
inline constexpr std::array<char32_t, 256> kByteLetters = [] {
  std::array<char32_t, 256> letters{};
  char32_t next = 256;
  for (std::size_t byte = 0; byte < letters.size(); ++byte)
    letters[byte] = is_its_own_letter(byte) ? static_cast<char32_t>(byte) : next++;
  return letters;
}();

// The byte of a letter; empty for any other character.
inline std::optional<unsigned char> byte_of_letter(char32_t letter) {
  static constexpr std::array<short, 324> kBytes = [] {
    std::array<short, 324> bytes{};
    bytes.fill(-1);
    for (std::size_t byte = 0; byte < kByteLetters.size(); ++byte)
      bytes[kByteLetters[byte]] = static_cast<short>(byte);
    return bytes;
  }();
  if (letter >= kBytes.size() || kBytes[letter] < 0) return std::nullopt;
  return static_cast<unsigned char>(kBytes[letter]);
}

// The text with each byte replaced by its letter.
std::string in_byte_letters(std::string_view text);

}  // namespace headlight
