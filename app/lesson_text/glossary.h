// What the words of the field mean, each in a sentence or two: a click on a term in a lesson's text shows it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace headlight {

struct GlossaryTerm {
  std::string_view name;     // as a text names it: "softmax"
  std::string_view meaning;  // without numbers of any model
};

// In the order of the alphabet.
std::span<const GlossaryTerm> glossary();

// A term where it stands in a text: from byte `begin` to before `end`, with a plural's s.
struct FoundTerm {
  std::size_t begin = 0, end = 0;
  const GlossaryTerm* term = nullptr;
};

// The terms among the words of a text, from left to right; of several at one place the longest.
std::vector<FoundTerm> terms_in(std::string_view text);

}  // namespace headlight
