// The first sentences of a reply.
#include "app/lesson_text/brief_reply.h"

#include "tests/support/catch.h"

using namespace headlight;

namespace {

EvaluatedRun number(const std::string& text) {
  EvaluatedRun run = {text};
  run.live = true;
  return run;
}

std::string joined(const std::vector<EvaluatedRun>& runs) {
  std::string text;
  for (const EvaluatedRun& run : runs)
    text += run.text;
  return text;
}

}  // namespace

TEST_CASE("brief reply: sentences are added while they have 25 words and two numbers together") {
  const std::vector<EvaluatedRun> runs = {
      {"So it is. The weight is "}, number("0.25"), {", after "}, number("0.5"),
      {". The loss is "},           number("1.2"),  {"."}};
  CHECK(joined(brief_reply(runs)) == "So it is. The weight is 0.25, after 0.5.");
  CHECK(length_of(runs).numbers == 3);
  CHECK(length_of(runs).words == 13);
}

TEST_CASE("brief reply: a reply that is brief is whole, and the first sentence is never left out") {
  const std::vector<EvaluatedRun> brief = {{"Yes. It has "}, number("0.25"), {"."}};
  CHECK(brief_reply(brief).size() == brief.size());
  std::string longer;
  for (int i = 0; i < 30; ++i)
    longer += "word ";
  const std::vector<EvaluatedRun> long_first = {{longer + "end. And more."}};
  CHECK(joined(brief_reply(long_first)) == longer + "end.");
  CHECK(brief_reply({}).empty());
}

TEST_CASE("brief reply: a sentence ends where the next run begins with a blank") {
  std::string longer;
  for (int i = 0; i < 24; ++i)
    longer += " word";
  CHECK(joined(brief_reply({{"So it is."}, {" The rest:"}, {longer + "."}})) == "So it is.");
  CHECK(joined(brief_reply({{"So it is."}, {"5 more:"}, {longer + "."}})).size() > 100);  // no end
}

TEST_CASE("brief reply: a point inside a number ends no sentence") {
  const std::vector<EvaluatedRun> runs = {{"It fell to 0.5 of 1.5, and"}, {" it stays there."}};
  CHECK(joined(brief_reply(runs)) == "It fell to 0.5 of 1.5, and it stays there.");
}
