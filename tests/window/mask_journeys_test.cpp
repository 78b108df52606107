// Masks in the real window: a preset, a stroke of painting over it, and undo of both.
#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

TEST_CASE("a window mask is chosen, painted over by dragging, and taken back step by step") {
  WindowSession window;
  open_lesson(window, "13-five-tokens-one-inferred");
  hide_lesson_text(window);  // for all controls
  window.add_step("mask");
  window.choose("settings.mask", "window");
  window.until_value("settings.mask", "window");
  CHECK(value_of_cell(window, "stage.weights.h0", 5, 2, 0) == 0);
  CHECK(value_of_cell(window, "stage.weights.h0", 5, 2, 1) > 0);
  window.fill("settings.mask_left", "2");
  window.key("Return");
  window.until_value("settings.mask_left", "2");
  CHECK(value_of_cell(window, "stage.weights.h0", 5, 2, 0) > 0);

  // One stroke from the middle cell to the left: the third token no longer attends to itself and the second.
  window.click("stage.masked");
  window.click("focus.paint");
  window.drag("focus.masked.h0", -window.widget("focus.masked.h0").width / 5);
  window.until_value("settings.mask", "custom");
  CHECK(value_of_cell(window, "stage.weights.h0", 5, 2, 1) == 0);
  CHECK(value_of_cell(window, "stage.weights.h0", 5, 2, 2) == 0);
  CHECK(value_of_cell(window, "stage.weights.h0", 5, 2, 0) == 1);  // the only key left

  window.key("ctrl+z");
  window.until_value("settings.mask", "window");
  CHECK(value_of_cell(window, "stage.weights.h0", 5, 2, 1) > 0);
  window.key("ctrl+z");
  window.until_value("settings.mask_left", "1");
  window.key("ctrl+z");
  window.until_value("settings.mask", "causal");
  window.key("ctrl+z");
  window.until_value("settings.mask", "none");
  CHECK_FALSE(window.widget("toolbar.undo").enabled);
}
