// Names in messages: quotation, lists, and the known name nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// Levenshtein distance, ignoring case: the number of letters to insert, remove or replace.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The name with the least edit distance to `word`, the first of several; only the first 200 letters are
// compared. "" if there are no names.
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

// The names, those with the least edit distance to `word` first; only its first 200 letters are compared.
std::vector<std::string> nearest_first(std::string_view word, std::vector<std::string> names);

// The name in quotation marks, with control characters as blanks and truncated to 60 bytes.
std::string in_quotes(std::string_view name);

// "a", "b", "c"; of a long list the first twelve names and the number of the others.
std::string listed(const std::vector<std::string>& names);

// "the nearest is "a"; there are also "b", "c" and 5 more". Precondition: there are names.
std::string nearest_of(std::string_view word, std::vector<std::string> names);

}  // namespace headlight
