// Tables of the Unicode Character Database, which make_unicode_data.mjs writes. They are of the versions that
// the Rust library `tokenizers` 0.22 has in its parts, so that ids are the same on every system: 16 in
// regular expressions, 17 in the language's own functions, 8 and 9 in what came with it from older crates.
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
std::span<const std::uint32_t> scripts();       // an index into script_names(), 0 for none
std::span<const std::uint32_t> scripts_of_9();  // 255 where it is that of 16
// 0, or 1 and on: Control, Extend, ZWJ, Regional_Indicator, Prepend, SpacingMark, L, V, T of Hangul,
// Extended_Pictographic. Carriage return, line feed and whole syllables have 0.
std::span<const std::uint32_t> grapheme_breaks();
// 1 for members besides those that their category makes members.
std::span<const std::uint32_t> other_alphabetic();
std::span<const std::uint32_t> other_lowercase();
std::span<const std::uint32_t> other_uppercase();
std::span<const std::uint32_t> emoji();  // 1 for members

// Letters from first to last, each `step` behind the one before it; the small one lies `offset` further on.
struct LowerCaseRun {
  std::uint32_t first;
  std::uint32_t last;
  std::uint32_t step;
  std::int32_t offset;
};
std::span<const LowerCaseRun> lower_case();  // beyond ASCII, of Unicode 17, in order

std::span<const std::string_view> script_names();  // as "Old_Italic"

}  // namespace headlight::unicode_data
