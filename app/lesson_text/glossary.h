// The field's terms, each explained in a sentence or two; a click on a term in a lesson shows its meaning.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace headlight {

struct LessonLanguage;

struct GlossaryTerm {
  std::string_view name;     // as in a text: "softmax"
  std::string_view meaning;  // without numbers of any model
};

// In alphabetical order.
std::span<const GlossaryTerm> glossary();

// The terms of a lesson in another language, which point into it: its own glossary. Those of the field else.
std::vector<GlossaryTerm> terms_of(const LessonLanguage& language);

// An occurrence of a term in a text: bytes [begin, end), with a plural's s.
struct FoundTerm {
  std::size_t begin = 0, end = 0;
  const GlossaryTerm* term = nullptr;
};

// The terms that are in a text, from left to right; if several begin at one place, the longest.
std::vector<FoundTerm> terms_in(std::string_view text, std::span<const GlossaryTerm> terms = glossary());

}  // namespace headlight
