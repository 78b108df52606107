// Tables of the Unicode Character Database, written by make_unicode_data.mjs. Their versions are those that
// the parts of the Rust library `tokenizers` 0.22 use, so that ids are the same on every system: 16 in
// regular expressions, 17 in the language's own functions, 8 and 9 in code from older crates.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headlight::unicode_data {

// Each number is 256 times a code point plus the value from it up to the next one.
std::span<const std::uint32_t> categories();  // a Category, of Unicode 16
// Where another version differs from 16; 255 where it does not.
std::span<const std::uint32_t> categories_of_8();
std::span<const std::uint32_t> categories_of_9();
std::span<const std::uint32_t> categories_of_17();
std::span<const std::uint32_t> scripts();  // of Unicode 9: an index into script_names(), 0 for none
// 0, or 1 and on: Control, Extend, ZWJ, Regional_Indicator, Prepend, SpacingMark, L, V, T of Hangul,
// Extended_Pictographic. Carriage return, line feed and whole syllables have 0.
std::span<const std::uint32_t> grapheme_breaks();

// Letters from first to last, each `step` after the one before it; the lower-case letter is `offset` further.
struct LowerCaseRun {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t step;
  std::int32_t offset;
};
std::span<const LowerCaseRun> lower_case();  // beyond ASCII, of Unicode 17, in order

std::span<const std::string_view> script_names();  // as "Old_Italic"

}  // namespace headlight::unicode_data
