// How much the parts of a tokenizer may make out of one text, counted while it is made: a small file can ask
// for endless work.
#pragma once

#include <cstddef>
#include <string>

namespace headlight {

class Allowance {
 public:
  // bytes: of the text as typed, or of all words that are decoded.
  explicit Allowance(std::size_t bytes);

  // Throws Error when the text that a step has made so far is longer than 16 times the one that was typed by
  // more than 1 MiB, or than 16 MiB.
  void require_room(std::size_t bytes, const std::string& place) const;

  // A step has made a text of so many bytes in so many parts. Throws Error when all of them together have
  // made more than 16 MiB and 128 times the text.
  void spend(std::size_t bytes, std::size_t parts, const std::string& place);

 private:
  std::size_t longest_;
  std::size_t left_;
};

// Steps from letter to letter when words are looked for in a text: those of a real vocabulary are short.
class LookUps {
 public:
  // place: how messages name what is looked for.
  LookUps(std::size_t bytes, const std::string& place);
  // Throws Error after 64 Ki and 256 for each byte.
  void count() {
    if (left_-- == 0) refuse();
  }

 private:
  [[noreturn]] void refuse() const;

  std::size_t left_;
  const std::string& place_;
};

// As many as a part of a tokenizer may have. Throws Error.
void require_few_steps(std::size_t count, const std::string& place);

}  // namespace headlight
