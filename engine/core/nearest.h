// Names in messages: quoted, listed, and the known one that a misspelt one was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// How many letters must be inserted, removed or replaced to make one word of the other; case does not count.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The first of the names with the least distance, of which the first 200 letters count; "" when there are
// none.
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

// The name in quotation marks, on one line, cut when it is long.
std::string in_quotes(std::string_view name);

// "a", "b", "c"; the first twelve of a long list, then how many more there are.
std::string listed(const std::vector<std::string>& names);

}  // namespace headlight
