// Properties of characters: category, script, ends of graphemes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headlight {

// In the order of unicode_data.h.
enum class Category : std::uint8_t {
  Cn,
  Lu,
  Ll,
  Lt,
  Lm,
  Lo,
  Mn,
  Mc,
  Me,
  Nd,
  Nl,
  No,
  Pc,
  Pd,
  Ps,
  Pe,
  Pi,
  Pf,
  Po,
  Sm,
  Sc,
  Sk,
  So,
  Zs,
  Zl,
  Zp,
  Cc,
  Cf,
  Cs,
  Co
};
enum class UnicodeVersion : std::uint8_t { Of8, Of9, Of16, Of17 };

Category category_of(char32_t character, UnicodeVersion version);
std::uint8_t script_of(char32_t character);  // of Unicode 9: an index into script_names(), 0 for none

// The end of the grapheme at `at`: what a reader takes for one character. at: below text.size().
std::size_t grapheme_end(std::string_view text, std::size_t at);

}  // namespace headlight
