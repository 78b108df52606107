#include "app/ui/sentence/sentence_words.h"

#include "app/figure/plan/names.h"

namespace headlight {

std::string sentence_word(const std::string& label) {
  return spoken_label(label.starts_with("##") ? label.substr(2) : label);
}

bool is_quiet_word(const std::string& word) {
  if (word == "·") return true;
  return word.size() > 2 &&
         ((word.front() == '<' && word.back() == '>') || (word.front() == '[' && word.back() == ']'));
}

bool is_in_pieces(const TextReading& reading, Index token) {
  const auto at = static_cast<std::size_t>(token);
  return reading.continues[at] || (token + 1 < reading.token_count() && reading.continues[at + 1]);
}

std::string head_text(const TextHead& of, Counting counting) {
  return "layer " + counting.number(of.layer) + ", " +
         (of.head ? head_name(*of.head, counting) : std::string("all heads"));
}

}  // namespace headlight
