// Text inside of XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace headlight {

// The text with its signs of markup escaped, for elements and for attributes. Precondition: valid UTF-8.
std::string markup_text(std::string_view text);

}  // namespace headlight
