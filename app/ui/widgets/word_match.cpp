#include "app/ui/widgets/fuzzy_match.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace headlight {
namespace {

std::string lowered(const std::string& text) {
  std::string low = text;
  for (char& c : low)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

bool starts_word(const std::string& text, std::size_t at) {
  if (at == 0) return true;
  const auto before = static_cast<unsigned char>(text[at - 1]);
  return before < 0x80 && std::isalnum(before) == 0;
}

// Scores the letters of `word` in `text` from `start` on; 0 if they do not all occur. Precondition:
// text[start] is the first letter of the word.
int score_from(const std::string& word, const std::string& text, std::size_t start) {
  constexpr int kLetter = 1, kNext = 4, kWordStart = 6;
  int score = 0;
  std::size_t at = start;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t found = text.find(word[i], at);
    if (found == std::string::npos) return 0;
    score += kLetter;
    if (starts_word(text, found)) score += kWordStart;
    if (i > 0 && found == at) score += kNext;
    at = found + 1;
  }
  return score;
}

int word_score(const std::string& word, const std::string& text) {
  constexpr int kWholeWord = 3;
  int best = 0;
  for (std::size_t at = text.find(word[0]); at != std::string::npos; at = text.find(word[0], at + 1)) {
    const bool in_one_piece = text.compare(at, word.size(), word) == 0;
    if (!in_one_piece && !starts_word(text, at)) continue;  // otherwise long titles match nearly anything
    const std::size_t end = at + word.size();
    const bool whole = in_one_piece && starts_word(text, at) &&
                       (end >= text.size() || std::isalnum(static_cast<unsigned char>(text[end])) == 0);
    best = std::max(best, score_from(word, text, at) + (whole ? kWholeWord : 0));
  }
  return best;
}

}  // namespace

std::optional<int> fuzzy_score(const std::string& query, const std::string& text) {
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
