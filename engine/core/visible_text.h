// Makes control and invisible characters in texts and paths visible, because a terminal would obey them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight {

// Returns the replacement for a hidden character.
using HiddenName = std::string (*)(std::uint32_t letter);
std::string unicode_name(std::uint32_t letter);  // "U+202E"

// Replaces each control character, each mark that changes the text direction (U+202E) and each invisible
// character (U+200B) by a name such as "U+001B", and each byte that is not UTF-8 by "\xFF". Characters in
// `kept` are not replaced, nor are joiners (U+200C, U+200D), which are parts of words and emoji.
std::string visible_text(std::string_view text, std::string_view kept = "", HiddenName name = unicode_name);

// The number of bytes at the end that begin an incomplete UTF-8 character: 0 to 3.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace headlight
