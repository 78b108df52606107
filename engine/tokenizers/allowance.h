// Limits what the parts of a tokenizer may produce from one text: a small file can demand endless work.
#pragma once

#include <cstddef>
#include <string>

namespace headlight {

class Allowance {
 public:
  // bytes: of the text as typed, or of all words to decode.
  explicit Allowance(std::size_t bytes);

  // Throws `Error` when the text that a step has produced so far exceeds 1 MiB plus 16 times the typed text,
  // or 16 MiB.
  void require_room(std::size_t bytes, const std::string& place) const;

  // Counts a step that has produced so many bytes in so many parts. Throws `Error` when all steps together
  // have produced more than 16 MiB plus 128 times the text.
  void spend(std::size_t bytes, std::size_t parts, const std::string& place);

 private:
  std::size_t longest_;
  std::size_t left_;
};

// Counts steps from letter to letter in searches for words; the words of a real vocabulary are short.
class SearchBudget {
 public:
  // place: names the search in messages.
  SearchBudget(std::size_t bytes, const std::string& place);
  // Throws `Error` after 64 Ki steps plus 256 per byte.
  void count() {
    if (left_-- == 0) refuse();
  }

 private:
  [[noreturn]] void refuse() const;

  std::size_t left_;
  const std::string& place_;
};

// Throws `Error` when a part of a tokenizer has more than 1000 steps.
void require_few_steps(std::size_t count, const std::string& place);

}  // namespace headlight
