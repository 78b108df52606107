// Dropout in the real window: the noise between before and after, and a mean that is drawn on.
#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

TEST_CASE("dropout is drawn on and on, and its mean comes back to the weights") {
  WindowSession window;
  open_lesson(window, "18-dropout-after-the-weights");
  window.click("stage.dropped");
  window.until("before, noise and after are there", [](const Moment& moment) {
    return moment.find("focus.dropped.h0.before") && moment.find("focus.dropped.h0.noise") &&
           moment.find("focus.dropped.h0");
  });
  CHECK_FALSE(window.shows("focus.dropped.h0.mean"));

  window.click("focus.play");
  window.until("all draws are in the mean", [](const Moment& moment) {
    const Widget* caption = moment.find("focus.dropped.h0.mean.caption");
    return caption && caption->value.find("mean of 10000 draws") == 0;
  });
  window.until_value("focus.play", "Play");  // it has stopped by itself
  const std::string caption = window.value("focus.dropped.h0.mean.caption");
  CHECK(number_from(caption.substr(caption.rfind(' ') + 1)) < 0.06);

  window.click("focus.draw_again");
  window.until_gone("focus.dropped.h0.mean");
  window.click("settings.training");
  window.until("there is nothing to draw",
               [](const Moment& moment) { return !moment.find("focus.play")->enabled; });
}
