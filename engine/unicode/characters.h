// What a character is: its category, its script, where graphemes end, and sets of characters by such
// properties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
std::uint8_t script_of(char32_t character, UnicodeVersion version);  // Of9 or Of16; 0 for none

// Where the grapheme that begins at `at` ends: what a reader takes for one character. at: below text.size().
std::size_t grapheme_end(std::string_view text, std::size_t at);

// Code points in ascending ranges with room between them.
class CharacterSet {
 public:
  struct Range {
    char32_t first;
    char32_t last;
  };
  CharacterSet() = default;
  explicit CharacterSet(std::vector<Range> ranges);  // in any order

  template <class Holds>
  static CharacterSet where(Holds holds) {
    std::vector<Range> ranges;
    for (char32_t c = 0; c < kEnd; ++c)
      if (holds(c)) {
        if (!ranges.empty() && ranges.back().last + 1 == c)
          ranges.back().last = c;
        else
          ranges.push_back({c, c});
      }
    return CharacterSet(std::move(ranges));
  }

  const std::vector<Range>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  bool contains(char32_t character) const;
  CharacterSet complement() const;
  CharacterSet united(const CharacterSet& other) const;
  CharacterSet intersected(const CharacterSet& other) const;
  CharacterSet without(const CharacterSet& other) const { return intersected(other.complement()); }
  bool operator==(const CharacterSet& other) const;

 private:
  static constexpr char32_t kEnd = 0x110000;
  std::vector<Range> ranges_;
};

// A property as Oniguruma names it in \p{...} and [:...:]: "L", "Uppercase_Letter", "Han", "alpha"; in
// capitals or not, with or without spaces, "-" and "_".
struct CharacterProperty {
  CharacterSet members;   // of Unicode 16
  std::string pcre_name;  // what comes close to it within PCRE2's brackets, such as "\p{L}"; "" for nothing
};
// Null for a name that is not known. The answers live as long as the program; several threads may ask.
const CharacterProperty* character_property(std::string_view name);

}  // namespace headlight
