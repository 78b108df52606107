// How running text is broken into lines.
#include "app/ui/widgets/rich_text.h"

#include "tests/support/catch.h"

using namespace headlight;

namespace {

TextPlan planned(const std::vector<EvaluatedRun>& runs, float width) {
  return plan_text(runs, width, 10, [](const std::string& text) { return static_cast<float>(text.size()); });
}

}  // namespace

TEST_CASE("running text: broken at spaces, and a quote keeps the full stop behind it") {
  const TextPlan plan = planned({{"one two ", false}, {"3.14", true}, {". Four", false}}, 9);
  REQUIRE(plan.pieces.size() == 5);
  CHECK(plan.pieces[2].text == "3.14");
  CHECK(plan.pieces[2].x == 0);
  CHECK(plan.pieces[2].y == 10);
  CHECK(plan.pieces[3].text == ".");
  CHECK(plan.pieces[3].x == 4);
  CHECK(plan.pieces[3].y == 10);
  CHECK(plan.pieces[4].text == "Four");
  CHECK(plan.pieces[4].y == 20);
  CHECK(plan.height == 30);
}

TEST_CASE("running text: line breaks, nothing, and words wider than the line") {
  CHECK(planned({}, 9).height == 0);
  const TextPlan broken = planned({{"a\nb", false}}, 9);
  REQUIRE(broken.pieces.size() == 2);
  CHECK(broken.pieces[1].y == 10);
  const TextPlan wide = planned({{"a abcdefghijkl b", false}}, 5);
  REQUIRE(wide.pieces.size() == 3);
  CHECK(wide.pieces[1].y == 10);
  CHECK(wide.pieces[2].y == 20);
}

TEST_CASE(
    "running text: a text that is read from right to left begins at the right, its foreign words in order") {
  const TextPlan plan = planned({{"אב ", false}, {"0.25", true}, {" self attention גד הו", false}}, 40);
  REQUIRE(plan.pieces.size() == 6);
  CHECK(plan.pieces[0].x == 40 - 4);  // two letters of two bytes
  CHECK(plan.pieces[1].x < plan.pieces[0].x);
  CHECK(plan.pieces[2].text == "self");
  CHECK(plan.pieces[2].x < plan.pieces[3].x);
  CHECK(plan.pieces[3].x + plan.pieces[3].width < plan.pieces[1].x);
  CHECK(plan.pieces[4].x < plan.pieces[2].x);
  CHECK(plan.pieces[5].y == 0);
  CHECK(plan.pieces[5].x >= 0);
  const TextPlan quoted = planned({{"אב «", false}, {"key", true}, {"». (", false}, {"0.25", true}}, 40);
  CHECK(quoted.pieces[1].text == "»");  // it looks to the other side
  CHECK(quoted.pieces[3].text == ".«");
  CHECK(quoted.pieces[2].text == "key");
  CHECK(quoted.pieces.back().text == "0.25");
}

TEST_CASE("running text: no full stop stands alone behind a slider") {
  std::vector<EvaluatedRun> runs = {{"Move p: "}, {"0.5", true}, {". Then read."}};
  runs[1].slider.emplace();
  const TextPlan plan = plan_text(
      runs, 30, 10, [](const std::string& text) { return static_cast<float>(text.size()); }, 20);
  REQUIRE(plan.pieces.size() == 5);
  CHECK(plan.pieces[2].run == 1);
  CHECK(plan.pieces[3].text == "Then");
  CHECK(plan.pieces[4].text == "read.");
}
