#include "app/ui/widgets/word_match.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "engine/core/ascii.h"

namespace headlight {
namespace {

bool starts_word(const std::string& text, std::size_t at) {
  if (at == 0) return true;
  const auto before = static_cast<unsigned char>(text[at - 1]);
  return before < 0x80 && std::isalnum(before) == 0;
}

// 0 if the word does not occur.
int word_score(const std::string& word, const std::string& text) {
  constexpr int kLetter = 5, kWordStart = 6, kWholeWord = 3, kTextStart = 2;
  constexpr std::size_t kLeastInside = 3;  // fewer letters are inside nearly any text
  int best = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool starts = starts_word(text, at);
    if (!starts && word.size() < kLeastInside) continue;
    const std::size_t end = at + word.size();
    const bool whole =
        starts && (end >= text.size() || std::isalnum(static_cast<unsigned char>(text[end])) == 0);
    best = std::max(best, kLetter * static_cast<int>(word.size()) + (starts ? kWordStart : 0) +
                              (whole ? kWholeWord : 0) + (at == 0 ? kTextStart : 0));
  }
  return best;
}

}  // namespace

std::optional<int> match_score(const std::string& query, const std::string& text) {
  constexpr int kWeight = 16;  // so that the length of the text decides only between equal scores
  const std::string low = lowered(text);
  std::istringstream words(lowered(query));
  int total = 0;
  bool any = false;
  for (std::string word; words >> word;) {
    const int score = word_score(word, low);
    if (score == 0) return std::nullopt;
    total += score * kWeight;
    any = true;
  }
  return any ? total - static_cast<int>(std::min<std::size_t>(text.size(), 100)) : 0;
}

}  // namespace headlight
