// Scores how well typed words match a name: for the field that finds everything.
#pragma once

#include <optional>
#include <string>

namespace headlight {

// nullopt if a word of `query` does not occur in `text` in one piece, regardless of case: at the beginning of
// a word, or with at least three letters anywhere in it. The score is higher for whole words, for beginnings
// of words and of the text, and for short texts. An empty query matches everything with 0.
std::optional<int> match_score(const std::string& query, const std::string& text);

}  // namespace headlight
