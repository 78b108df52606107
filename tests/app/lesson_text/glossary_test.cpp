// The glossary, and the search for its terms in a text.
#include "app/lesson_text/glossary.h"

#include <string>

#include "tests/support/catch.h"

using namespace headlight;

namespace {

std::string found_in(const std::string& text) {
  std::string found;
  for (const FoundTerm& term : terms_in(text))
    found += std::string(term.term->name) + "=" + text.substr(term.begin, term.end - term.begin) + ";";
  return found;
}

}  // namespace

TEST_CASE("glossary: in the order of the alphabet, each term once, explained in words") {
  const std::span<const GlossaryTerm> terms = glossary();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    INFO(terms[i].name);
    if (i > 0) CHECK(terms[i - 1].name < terms[i].name);
    CHECK(terms[i].meaning.size() > 20);
    CHECK(terms[i].meaning.back() == '.');
  }
}

TEST_CASE("glossary: terms are whole words, with a plural's s, and the longest counts") {
  CHECK(found_in("Queries meet keys.") == "key=keys;");
  CHECK(found_in("A context vector, then a vector") == "context vector=context vector;vector=vector;");
  CHECK(found_in("The causal mask and masks") == "causal mask=causal mask;mask=masks;");
  CHECK(found_in("Softmax of W_key, keyboard, monkey, unmask") == "softmax=Softmax;");
  CHECK(found_in("größe-token, schlüsselkey, weights.") == "token=token;weight=weights;");
  CHECK(found_in("") == "");
}

TEST_CASE("glossary: a lesson in another language has its own terms alone") {
  LessonLanguage german = {
      {{"next", "Weiter"}}, true, {{"Gewicht", "Der Anteil."}, {"Maske", "Sie verbietet."}}};
  const std::vector<GlossaryTerm> own = terms_of(german);
  const std::vector<FoundTerm> found =
      terms_in("Das Gewicht des Token unter der maske, ohne Maskenball", own);
  REQUIRE(found.size() == 2);
  CHECK(found[0].term->meaning == "Der Anteil.");
  CHECK(found[1].term->name == "Maske");
  CHECK(terms_of({}).size() == glossary().size());
  german.glossary.clear();
  CHECK(terms_of(german).empty());
}
