// Editing in the real window: opening, changes, their results, and undo.
#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

TEST_CASE("a lesson opens from the menu and from the start screen") {
  WindowSession window;
  open_lesson(window, "16-causal-mask");
  CHECK(window.value("settings.mask") == "causal");
  CHECK(window.state().at("document").at("path").is_null());  // the first save asks for a path

  window.click("toolbar.menu");
  window.click("menu.start");
  window.click("start.chapter.0");
  window.click("start.lesson.01-one-query-dot-products");
  window.until("the other lesson is open", [](const Moment& moment) {
    return moment.state.at("document").at("title") == title_of_lesson("01-one-query-dot-products");
  });
  window.until_gone("settings.mask");  // nothing is masked in this lesson
}

TEST_CASE("a number typed into the embeddings changes the weights as the formula says") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  CHECK_THAT(value_of_cell(window, "stage.weights.h0", 6, 0, 1), WithinAbs(0.2006, 5e-5));

  const Picture before = pixels_of(window, "stage.weights.h0");
  const auto revision = window.state().at("revision").get<std::uint64_t>();
  set_cell(window, "inputs.embeddings[0,0]", "0.9");
  CHECK(window.state().at("revision") == revision + 1);
  CHECK(window.state().at("revision_shown") == revision + 1);
  CHECK(window.state().at("document").at("saved") == false);
  CHECK(pixels_of(window, "stage.weights.h0").pixels != before.pixels);

  const Rows expected = simple_attention_weights(shown_embeddings(window, 6, 3), false);
  CHECK_THAT(value_of_cell(window, "stage.weights.h0", 6, 0, 1), WithinAbs(expected[0][1], 1e-6));
  CHECK_THAT(value_of_cell(window, "stage.weights.h0", 6, 3, 0), WithinAbs(expected[3][0], 1e-6));
  CHECK_THAT(value_of_cell(window, "stage.weights.h0", 6, 5, 5), WithinAbs(expected[5][5], 1e-6));
}

TEST_CASE("what is no number is refused with a message and changes nothing") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  window.click("inputs.embeddings[1,2]");
  window.type("1,5");
  window.key("Return");
  CHECK(window.value("inputs.embeddings.message") != "");
  window.key("Escape");
  window.until_value("inputs.embeddings[1,2]", "0.66");
  CHECK(window.state().at("document").at("saved") == true);
}

TEST_CASE("dragging a cell scrubs its number, and one undo takes the whole drag back") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  window.drag("inputs.embeddings[1,1]", 48);
  CHECK(number_from(window.value("inputs.embeddings[1,1]")) > 0.87);
  window.key("ctrl+z");
  window.until_value("inputs.embeddings[1,1]", "0.87");
  CHECK_FALSE(window.widget("toolbar.undo").enabled);
}

TEST_CASE("the causal mask takes the future away and gives it back") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  const Rows x = shown_embeddings(window, 6, 3);
  window.add_step("mask");
  window.until_value("settings.mask", "causal");
  CHECK(value_of_cell(window, "stage.weights.h0", 6, 0, 5) == 0);
  CHECK(value_of_cell(window, "stage.weights.h0", 6, 0, 0) == 1);
  const Rows causal = simple_attention_weights(x, true);
  CHECK_THAT(value_of_cell(window, "stage.weights.h0", 6, 4, 2), WithinAbs(causal[4][2], 1e-6));

  window.choose("settings.mask", "none");
  window.until_value("settings.mask", "none");
  const Rows open = simple_attention_weights(x, false);
  CHECK_THAT(value_of_cell(window, "stage.weights.h0", 6, 0, 5), WithinAbs(open[0][5], 1e-6));
}

TEST_CASE("dropout leaves zeros and doubles the rest; drawing again drops other cells") {
  WindowSession window;
  open_lesson(window, "05-all-queries-at-once");
  window.add_step("dropout");
  window.until_value("settings.dropout", "0.5");
  if (window.value("settings.training") == "off") window.click("settings.training");
  window.until_value("settings.training", "on");

  int dropped = 0;
  for (int column = 0; column < 6; ++column) {
    const double weight = value_of_cell(window, "stage.weights.h0", 6, 1, column);
    const double kept = value_of_cell(window, "stage.dropped.h0", 6, 1, column);
    if (kept == 0)
      ++dropped;
    else
      CHECK_THAT(kept, WithinAbs(2 * weight, 1e-6));
  }
  CHECK(dropped > 0);  // depends on the seed: 1 seed in 64 drops none of the six
  CHECK(dropped < 6);

  const Picture before = pixels_of(window, "stage.dropped.h0");
  const auto revision = window.state().at("revision").get<std::uint64_t>();
  window.click("settings.draw_again");
  CHECK(window.state().at("revision") > revision);
  CHECK(pixels_of(window, "stage.dropped.h0").pixels != before.pixels);
  window.click("settings.training");
  window.until_value("settings.training", "off");
  // A stage without effect has no picture in the strip, only a large one.
  const double weight = value_of_cell(window, "stage.weights.h0", 6, 1, 1);
  window.until_gone("stage.dropped.h0");
  window.click("stage.dropped");
  CHECK_THAT(value_of_cell(window, "focus.dropped.h0", 6, 1, 1), WithinAbs(weight, 0));
}

TEST_CASE("the number of heads can be changed, and each head has its own heatmap") {
  WindowSession window;
  open_lesson(window, "20-two-heads");
  CHECK(window.widget("stage.weights.h1").value == "6 x 6");
  CHECK(window.value("stage.queries.h0") == "6 x 1");
  window.choose("settings.heads", "1");
  window.until_gone("stage.weights.h1");
  CHECK(window.value("stage.queries.h0") == "6 x 2");
  window.choose("settings.heads", "2");
  window.until("the second head is back",
               [](const Moment& moment) { return moment.find("stage.weights.h1"); });
}

TEST_CASE("everything can be undone and redone") {
  WindowSession window;
  open_lesson(window, "20-two-heads");
  const std::string query = window.value("inputs.query[0,0]");
  const double weight = value_of_cell(window, "stage.weights.h1", 6, 2, 1);
  set_cell(window, "inputs.query[0,0]", "2");
  window.choose("settings.scale", "none");
  window.choose("settings.heads", "1");
  window.add_step("normalization");
  window.choose("settings.normalization", "naive_softmax");
  CHECK(window.state().at("document").at("saved") == false);

  for (int step = 0; step < 4; ++step)
    window.key("ctrl+z");
  window.until("nothing is left to undo",
               [](const Moment& moment) { return !moment.find("toolbar.undo")->enabled; });
  CHECK(window.value("inputs.query[0,0]") == query);
  CHECK(window.state().at("document").at("saved") == true);
  CHECK(value_of_cell(window, "stage.weights.h1", 6, 2, 1) == weight);

  window.click("toolbar.redo");
  window.until_value("inputs.query[0,0]", "2");
  for (int step = 0; step < 3; ++step)
    window.key("ctrl+shift+z");
  window.until_value("settings.normalization", "naive_softmax");
  CHECK_FALSE(window.widget("toolbar.redo").enabled);
  CHECK(window.value("settings.heads") == "1");
}
