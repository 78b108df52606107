#include "engine/core/visible_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace headlight {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Unicode's control characters (Cc), format characters (Cf) that are not parts of words, invisible fillers.
constexpr std::array<Range, 17> kHidden = {{{0x00, 0x1F},
                                            {0x7F, 0x9F},
                                            {0xAD, 0xAD},
                                            {0x61C, 0x61C},
                                            {0x180E, 0x180E},
                                            {0x200B, 0x200B},
                                            {0x200E, 0x200F},
                                            {0x2028, 0x202E},
                                            {0x2060, 0x206F},
                                            {0x3164, 0x3164},
                                            {0xFEFF, 0xFEFF},
                                            {0xFFA0, 0xFFA0},
                                            {0xFFF9, 0xFFFB},
                                            {0x1BCA0, 0x1BCA3},
                                            {0x1D173, 0x1D17A},
                                            {0xE0000, 0xE00FF},
                                            {0x115F, 0x1160}}};

bool hidden(std::uint32_t letter) {
  return std::any_of(kHidden.begin(), kHidden.end(),
                     [&](const Range& range) { return letter >= range.first && letter <= range.last; });
}

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// The length of the UTF-8 character with this first byte; 0 if no character has it.
std::size_t length_of(unsigned first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

struct Letter {
  std::uint32_t number = 0;
  std::size_t bytes = 0;  // 0: the text does not begin with a valid character
};

Letter first_letter(std::string_view text) {
  const std::size_t length = length_of(byte_at(text, 0));
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {byte_at(text, 0), 1};
  std::uint32_t number = byte_at(text, 0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return {};
    number = number << 6 | (byte_at(text, i) & 0x3F);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = number >= 0xD800 && number <= 0xDFFF;
  if (number < kLeast[length] || number > 0x10FFFF || surrogate) return {};
  return {number, length};
}

}  // namespace

std::string unicode_name(std::uint32_t letter) {
  char name[16];
  std::snprintf(name, sizeof name, "U+%04X", letter);
  return name;
}

std::string visible_text(std::string_view text, std::string_view kept, HiddenName name) {
  std::string visible;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (letter.bytes == 0) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "\\x%02X", byte_at(text, 0));
      visible += byte;
    } else if (hidden(letter.number) && kept.find(text.front()) == std::string_view::npos) {
      visible += name(letter.number);
    } else {
      visible += text.substr(0, letter.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(letter.bytes, 1));
  }
  return visible;
}

std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const unsigned byte = byte_at(text, text.size() - back);
    if ((byte & 0xC0) == 0x80) continue;
    return length_of(byte) > back ? back : 0;
  }
  return 0;
}

}  // namespace headlight
