#include "engine/tokenizers/char_map.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/unicode/characters.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& place) {
  throw Error(what, place, "copy the tokenizer's file again, or save it with another normalizer");
}

// -1 for a character outside base64.
int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string bytes_of_base64(std::string_view text, const std::string& place) {
  while (text.ends_with('='))
    text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit < 0) refuse("is not base64", place);
    held = held << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xFF);
  }
  return bytes;
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// The fields of a unit of darts-clone's double array.
bool has_leaf(std::uint32_t unit) {
  return (unit >> 8 & 1) == 1;
}
std::uint32_t value_of(std::uint32_t unit) {
  return unit & 0x7FFFFFFF;
}
std::uint32_t label_of(std::uint32_t unit) {
  return unit & 0x800000FF;
}
std::uint32_t offset_of(std::uint32_t unit) {
  return unit >> 10 << ((unit & 0x200) >> 6);
}

}  // namespace

CharMap::CharMap(const std::string& base64, const std::string& place) {
  const std::string bytes = bytes_of_base64(base64, place);
  const std::size_t trie = bytes.size() < 4 ? 0 : number_at(bytes, 0);
  if (trie == 0 || trie % 4 != 0 || trie > bytes.size() - 4) refuse("is no map of characters", place);
  for (std::size_t at = 4; at < 4 + trie; at += 4)
    units_.push_back(number_at(bytes, at));
  texts_ = bytes.substr(4 + trie);
  if (const std::size_t bad = first_bad_byte(texts_); bad != std::string::npos)
    refuse("byte " + std::to_string(4 + trie + bad + 1) + " of the map is not UTF-8", place);
  // The longest text of SentencePiece's own maps has 33 bytes.
  constexpr std::size_t kLongest = 64;
  for (std::size_t begin = 0; begin < texts_.size();) {
    const std::size_t end = std::min(texts_.find('\0', begin), texts_.size());
    if (end - begin > kLongest) refuse("the map makes more than 64 bytes of one character", place);
    begin = end + 1;
  }
}

std::optional<std::string_view> CharMap::replacement(std::string_view part) const {
  std::size_t node = offset_of(units_[0]);
  for (const char letter : part) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte == 0) break;
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) return std::nullopt;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (node >= units_.size()) return std::nullopt;
    if (!has_leaf(unit)) continue;
    const std::size_t begin = value_of(units_[node]);
    if (begin > texts_.size() || (begin < texts_.size() && (texts_[begin] & 0xC0) == 0x80))
      return std::nullopt;
    return std::string_view(texts_).substr(begin, texts_.find('\0', begin) - begin);
  }
  return std::nullopt;
}

std::string CharMap::apply(std::string_view text) const {
  constexpr std::size_t kShort = 6;  // bytes
  std::string made;
  made.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = grapheme_end(text, at);
    const std::string_view grapheme = text.substr(at, end - at);
    at = end;
    const std::optional<std::string_view> whole =
        grapheme.size() < kShort ? replacement(grapheme) : std::nullopt;
    if (whole) {
      made += *whole;
      continue;
    }
    for_each_character(grapheme, [&](char32_t, std::string_view character) {
      made += replacement(character).value_or(character);
    });
  }
  return made;
}

}  // namespace headlight
