// Dropout in the real window: before, noise and after, and a mean over a growing number of draws.
#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

// The 25 in "mean of 25 draws, off by ≤ 0.123"; 0 for other captions.
int draws_in(const std::string& caption) {
  const std::string before = "mean of ";
  return caption.rfind(before, 0) == 0 ? std::stoi(caption.substr(before.size())) : 0;
}

}  // namespace

TEST_CASE("dropout is drawn on and on, and the mean of its draws stands beside it") {
  WindowSession window;
  open_lesson(window, "18-dropout-after-the-weights");
  hide_lesson_text(window);  // for all controls
  window.click("stage.dropped");
  window.until("before, noise and after are there", [](const Moment& moment) {
    return moment.find("focus.dropped.h0.before") && moment.find("focus.dropped.h0.noise") &&
           moment.find("focus.dropped.h0");
  });
  CHECK_FALSE(window.shows("focus.dropped.h0.mean"));

  window.click("focus.play");
  window.until("more and more draws are in the mean", [](const Moment& moment) {
    const Widget* caption = moment.find("focus.dropped.h0.mean.caption");
    return caption && draws_in(caption->value) >= 20;
  });
  window.click("focus.play");
  window.until_value("focus.play", "Many draws");
  CHECK(draws_in(window.value("focus.dropped.h0.mean.caption")) >= 20);
  CHECK(draws_in(window.value("focus.dropped.h0.mean.caption")) <= 10000);

  window.click("focus.draw_again");
  window.until_gone("focus.dropped.h0.mean");
  window.click("settings.training");
  window.until("there is nothing to draw",
               [](const Moment& moment) { return !moment.find("focus.play")->enabled; });
}
