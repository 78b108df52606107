#include "engine/unicode/characters.h"

#include <span>

#include "engine/unicode/unicode.h"
#include "engine/unicode/unicode_data.h"

namespace headlight {
namespace {

constexpr std::size_t kCodePoints = 0x110000;
using Values = std::vector<std::uint8_t>;  // one per code point

// One value per code point; where `changes` has 255 and there is a `base`, its value.
Values expanded(std::span<const std::uint32_t> changes, const Values* base = nullptr) {
  Values values(kCodePoints);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::size_t end = i + 1 < changes.size() ? changes[i + 1] >> 8 : kCodePoints;
    const auto value = static_cast<std::uint8_t>(changes[i] & 0xFF);
    for (std::size_t at = changes[i] >> 8; at < end; ++at)
      values[at] = base && value == 0xFF ? (*base)[at] : value;
  }
  return values;
}

const Values& categories_of_16() {
  static const Values values = expanded(unicode_data::categories());
  return values;
}

const Values& categories(UnicodeVersion version) {
  static const Values& newest = categories_of_16();
  switch (version) {
    case UnicodeVersion::Of8: {
      static const Values values = expanded(unicode_data::categories_of_8(), &newest);
      return values;
    }
    case UnicodeVersion::Of9: {
      static const Values values = expanded(unicode_data::categories_of_9(), &newest);
      return values;
    }
    case UnicodeVersion::Of17: {
      static const Values values = expanded(unicode_data::categories_of_17(), &newest);
      return values;
    }
    case UnicodeVersion::Of16:
      break;
  }
  return newest;
}

enum class Break : std::uint8_t {
  None,
  Control,
  Extend,
  Joiner,
  Region,
  Prepend,
  Spacing,
  L,
  V,
  T,
  Pictograph,
  Return,
  LineFeed,
  LV,
  LVT
};

Break break_of(char32_t character) {
  static const Values values = expanded(unicode_data::grapheme_breaks());
  if (character == '\r') return Break::Return;
  if (character == '\n') return Break::LineFeed;
  if (character >= 0xAC00 && character <= 0xD7A3)
    return (character - 0xAC00) % 28 == 0 ? Break::LV : Break::LVT;
  return static_cast<Break>(values[character]);
}

bool is_hangul_pair(Break left, Break right) {
  switch (left) {
    case Break::L:
      return right == Break::L || right == Break::V || right == Break::LV || right == Break::LVT;
    case Break::LV:
    case Break::V:
      return right == Break::V || right == Break::T;
    case Break::LVT:
    case Break::T:
      return right == Break::T;
    default:
      return false;
  }
}

bool parts(Break kind) {
  return kind == Break::Control || kind == Break::Return || kind == Break::LineFeed;
}

// The rules GB3 to GB13 of Unicode's annex 29 for one grapheme, without GB9c.
class Grapheme {
 public:
  explicit Grapheme(Break first)
      : last_(first), regions_(first == Break::Region), picture_(first == Break::Pictograph) {}

  bool takes(Break next) {
    const bool taken = goes_on(next);
    joined_picture_ = picture_ && next == Break::Joiner;
    picture_ = next == Break::Pictograph || (picture_ && next == Break::Extend);
    regions_ += next == Break::Region ? 1 : 0;
    last_ = next;
    return taken;
  }

 private:
  bool goes_on(Break next) const {
    if (last_ == Break::Return && next == Break::LineFeed) return true;
    if (parts(last_) || parts(next)) return false;
    if (next == Break::Extend || next == Break::Joiner || next == Break::Spacing || last_ == Break::Prepend)
      return true;
    if (next == Break::Pictograph) return joined_picture_;
    if (next == Break::Region) return last_ == Break::Region && regions_ % 2 == 1;
    return is_hangul_pair(last_, next);
  }

  Break last_;
  int regions_;
  bool picture_;                 // only Extend follows a pictograph
  bool joined_picture_ = false;  // and then a joiner
};

}  // namespace

Category category_of(char32_t character, UnicodeVersion version) {
  return static_cast<Category>(categories(version)[character]);
}

std::uint8_t script_of(char32_t character) {
  static const Values values = expanded(unicode_data::scripts());
  return values[character];
}

std::size_t grapheme_end(std::string_view text, std::size_t at) {
  Grapheme grapheme(break_of(next_character(text, at)));
  while (at < text.size()) {
    std::size_t behind = at;
    if (!grapheme.takes(break_of(next_character(text, behind)))) break;
    at = behind;
  }
  return at;
}

}  // namespace headlight
