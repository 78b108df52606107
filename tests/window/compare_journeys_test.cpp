// Two seeds of one lesson compared in the real window.
#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

// Draws the weights again with another seed.
void draw_with_seed(WindowSession& window, const std::string& seed) {
  window.click("inputs.more");
  window.fill("inputs.init_seed", seed);
  window.key("Return");
  window.until_value("inputs.init_seed", seed);
  window.key("Escape");
}

}  // namespace

TEST_CASE("compare: seeds 123 and 789 of one lesson, by keys and by name") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  hide_lesson_text(window);  // for all controls
  window.click("stage.weights");
  draw_with_seed(window, "123");
  window.key("alt+5");
  window.widget("compare.invitation");
  window.click("compare.keep");
  window.widget("compare.a.h0");
  draw_with_seed(window, "789");
  window.until_value("compare.what", "seed 123 → 789");
  window.widget("compare.difference.h0");

  // The text of the first change has the numbers of both pictures.
  const std::string change = window.value("compare.change.0");
  CHECK(change.find(" → ") != std::string::npos);
  window.click("compare.change.0");
  const Json selection = window.state().at("selection");
  REQUIRE(!selection.is_null());
  const double after = number_from(window.value("inspector.value"));
  const std::string numbers = change.substr(change.find(": ") + 2);
  const std::string arrow = " → ";
  const std::size_t at = numbers.find(arrow) + arrow.size();
  CHECK_THAT(number_from(numbers.substr(at, numbers.find(", ") - at)), WithinAbs(after, 1e-4));

  window.click("compare.restore");
  window.until_value("compare.what", "seed 789 → 123");
  window.key("ctrl+z");
  window.until("B is the same as A, which was kept when they were swapped", [](const Moment& moment) {
    const Widget* what = moment.find("compare.what");
    return what && what->value.find("Nothing differs yet") == 0;
  });
  window.click("compare.forget");
  window.widget("compare.invitation");
  window.key("alt+1");
  window.widget("focus.weights.h0");
}
