#include "app/ui/start/sentence_words.h"

#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"

namespace headlight {
namespace {

std::string quoted(const TextReading& reading, Index token) {
  return "“" + sentence_word(reading.labels[static_cast<std::size_t>(token)]) + "”";
}

// "at “and” with 40 % and at “Tom” with 51 %": the keys among which the weight is divided.
std::string looks_at_text(const TextReading& reading) {
  const MovedAttention& moved = *reading.supposed;
  const Eigen::RowVectorXf row = reading.weights_of(moved.query, moved.of);
  std::string text;
  for (Index key = 0; key < row.size(); ++key)
    if (moved.part(key) > 0)
      text += (text.empty() ? "at " : " and at ") + quoted(reading, key) + " with " +
              share_text(double{row(key)});
  return text;
}

}  // namespace

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

SupposedText supposed_text(const TextReading& reading, Counting counting) {
  const MovedAttention& moved = *reading.supposed;
  const bool last = moved.query + 1 == reading.token_count();
  SupposedText text;
  text.looks = "Supposed: " + head_text(moved.of, counting) + (moved.of.head ? " looks " : " look ") +
               (last ? "" : "from " + quoted(reading, moved.query) + " ") + looks_at_text(reading) +
               (moved.of.head ? "" : " on average") +
               (moved.part(moved.from) > 0 ? "" : " instead of at " + quoted(reading, moved.from));
  const auto query = static_cast<std::size_t>(moved.query);
  if (!reading.next.empty() && !reading.next[query].empty())
    text.next = (last ? "Next word: “" : "Behind " + quoted(reading, moved.query) + ": “") +
                sentence_word(reading.names[query].front()) + "” " +
                share_text(reading.next[query].front().probability);
  return text;
}

}  // namespace headlight
