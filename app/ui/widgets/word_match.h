// Scores how well typed letters match a name: for the command palette.
#pragma once

#include <optional>
#include <string>

namespace headlight {

// nullopt if a word of `query` does not occur in `text`. A word occurs if its letters are in `text` in one
// piece, or in their order from the beginning of a word on, regardless of case. The score is higher for whole
// words, for letters in one piece and at the beginnings of words, and for short texts. An empty query matches
// everything with 0.
std::optional<int> fuzzy_score(const std::string& query, const std::string& text);

}  // namespace headlight
