// The width of text in a terminal.
#pragma once

#include <string>

namespace headlight {

// The number of columns of UTF-8 text: two for East Asian wide letters and emoji, none for combining marks.
std::size_t terminal_width(const std::string& text);
// Pads the text with blanks on the left to `width` columns.
std::string right_aligned(const std::string& text, std::size_t width);

}  // namespace headlight
