// Characters of UTF-8 texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

// The bytes of one character; if there is none, those of an incomplete one, at least one byte.
struct Utf8Unit {
  std::size_t length = 1;
  bool valid = false;
};
// at: below bytes.size().
Utf8Unit utf8_unit(std::string_view bytes, std::size_t at);

// Index of the first byte that belongs to no character; npos if there is none.
std::size_t first_bad_byte(std::string_view bytes);
// Like Rust's from_utf8_lossy: each invalid unit becomes U+FFFD.
std::string lossy_utf8(std::string_view bytes);
// The text with bytes that belong to no character written as "\xE2".
std::string escaped_utf8(std::string_view bytes);

// Returns the character at `at` and advances `at` past it. text: UTF-8; at: below text.size().
char32_t next_character(std::string_view text, std::size_t& at);
std::size_t character_count(std::string_view text);
void append_character(std::string& text, char32_t character);

// Calls action(character, its bytes) for each character of a UTF-8 text.
template <class Action>
void for_each_character(std::string_view text, Action action) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    action(character, text.substr(begin, at - begin));
  }
}

// The characters for which `keep` holds.
template <class Keep>
std::string filtered(std::string_view text, Keep keep) {
  std::string kept;
  kept.reserve(text.size());
  for_each_character(text, [&](char32_t character, std::string_view bytes) {
    if (keep(character)) kept += bytes;
  });
  return kept;
}

// As in the corresponding parts of the Rust library, each by that part's version of Unicode.
bool is_white_space(char32_t character);  // the property White_Space
bool is_ascii_punctuation(char32_t character);
bool is_punctuation(char32_t character);      // P* of Unicode 8, and all ASCII punctuation
bool is_numeric(char32_t character);          // N* of Unicode 17
bool is_mark(char32_t character);             // M* of Unicode 9
bool is_nonspacing_mark(char32_t character);  // Mn of Unicode 8
bool is_control(char32_t character);          // Cc, Cf, Co of Unicode 8
// \w of Rust's regular expressions by Unicode 16: letters, marks, decimal digits, letter numbers, connectors,
// and the two joiners U+200C and U+200D.
bool is_word_character(char32_t character);

enum class UnicodeForm : std::uint8_t { Nfc, Nfd, Nfkc, Nfkd };
// By Unicode 9: newer characters stay unchanged. Cost: n log n in the number of characters, for any sequence
// of marks.
std::string in_form(std::string_view text, UnicodeForm form);

// Converts each character by itself, without a language; by Unicode 17.
std::string lower_case(std::string_view text);

}  // namespace headlight
