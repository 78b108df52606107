#include "engine/analysis/words.h"

#include "engine/core/ascii.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

// A WordPiece vocabulary has a continuing piece for each letter of its alphabet.
bool has_word_pieces(const Tokenizer& tokenizer) {
  for (char letter = 'a'; letter <= 'z'; ++letter)
    if (tokenizer.find(std::string("##") + letter)) return true;
  return false;
}

bool joined(const std::string& before, const std::string& label) {
  if (before.empty() || label.empty()) return false;
  return is_letter_byte(label.front()) && (before == " " || is_letter_byte(before.back()));
}

}  // namespace

std::vector<bool> continued_pieces(const Network& network, const std::vector<std::int32_t>& ids) {
  const Tokenizer& tokenizer = *network.tokenizer();
  const bool marked = has_word_pieces(tokenizer);
  std::vector<bool> continues(ids.size(), false);
  for (std::size_t i = 1; i < ids.size(); ++i) {
    if (tokenizer.is_special(ids[i]) || tokenizer.is_special(ids[i - 1])) continue;
    continues[i] = marked ? tokenizer.word(ids[i]).starts_with("##")
                          : joined(network.label(ids[i - 1]), network.label(ids[i]));
  }
  return continues;
}

TextWords words_of_text(const Network& network, const std::vector<std::int32_t>& ids) {
  if (!network.tokenizer())
    throw Error("the model has no tokenizer, so nothing says which tokens are pieces of a word", "words",
                "leave the tokens as they are");
  const std::vector<bool> continues = continued_pieces(network, ids);
  TextWords words;
  words.tokens = static_cast<Index>(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string label = network.token_label(ids[i]);
    if (continues[i]) {
      words.labels.back() += label.starts_with("##") ? label.substr(2) : label;
      continue;
    }
    words.begins.push_back(static_cast<Index>(i));
    words.labels.push_back(label);
  }
  return words;
}

Matrix summed_by_words(const Matrix& columns, const TextWords& words) {
  Matrix summed(columns.rows(), words.count());
  for (Index word = 0; word < words.count(); ++word) {
    const Index begin = words.begins[static_cast<std::size_t>(word)];
    summed.col(word) = columns.middleCols(begin, words.end(word) - begin).rowwise().sum();
  }
  return summed;
}

Matrix between_words(const Matrix& pairs, const TextWords& words) {
  const Matrix summed = summed_by_words(pairs, words);
  Matrix between(words.count(), words.count());
  for (Index word = 0; word < words.count(); ++word) {
    const Index begin = words.begins[static_cast<std::size_t>(word)];
    between.row(word) = summed.middleRows(begin, words.end(word) - begin).colwise().mean();
  }
  return between;
}

}  // namespace headlight
