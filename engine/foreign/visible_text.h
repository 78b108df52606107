// Text of files and paths for a terminal: what would steer it, or turn the order of letters round, is named.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

// What stands in the place of a character that is not shown.
using HiddenName = std::string (*)(std::uint32_t letter);
std::string unicode_name(std::uint32_t letter);  // "U+202E"

// The text with "U+001B" in the place of each control character, of each mark that changes the direction of
// letters (U+202E) or is not seen at all (U+200B), and "\xFF" in the place of each byte that is no UTF-8.
// The characters in `kept` stay. Joiners (U+200C, U+200D) are parts of words and of emoji, and stay.
std::string visible_text(std::string_view text, std::string_view kept = "", HiddenName name = unicode_name);

// How many bytes at the end are the beginning of a character whose rest is missing: 0 to 3.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace headlight
