// Properties of characters: category, script, ends of graphemes; and sets of characters by such properties.
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

// The end of the grapheme at `at`: what a reader takes for one character. at: below text.size().
std::size_t grapheme_end(std::string_view text, std::size_t at);

// Code points in ascending ranges that neither overlap nor touch.
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

// A property by its name in Oniguruma's \p{...} and [:...:]: "L", "Uppercase_Letter", "Han", "alpha"; case,
// spaces, "-" and "_" are ignored.
struct CharacterProperty {
  CharacterSet members;   // of Unicode 16
  std::string pcre_name;  // what approximates it within PCRE2's brackets, such as "\p{L}"; "" for nothing
};
// Null for an unknown name. The results live as long as the program. Thread-safe.
const CharacterProperty* character_property(std::string_view name);

}  // namespace headlight
