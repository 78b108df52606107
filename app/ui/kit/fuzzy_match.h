// How well a few typed letters name something: for the command palette.
#pragma once

#include <optional>
#include <string>

namespace headlight {

// None when some word of `query` cannot be found in `text`. A word is found when its letters stand there in
// one piece, or in their order from the beginning of a word on, regardless of case; the score is higher for
// whole words, for letters in one piece and at the beginnings of words, and for short texts. An empty query
// matches everything with 0.
std::optional<int> fuzzy_score(const std::string& query, const std::string& text);

}  // namespace headlight
