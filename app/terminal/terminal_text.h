// How wide text is in a terminal.
#pragma once

#include <string>

namespace headlight {

// Columns that UTF-8 text takes: two for East Asian wide letters and emoji, none for combining marks.
std::size_t terminal_width(const std::string& text);
// With blanks in front of it.
std::string right_aligned(const std::string& text, std::size_t width);

}  // namespace headlight
