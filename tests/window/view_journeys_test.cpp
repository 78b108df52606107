// The views of the large picture in the real window.
#include <fstream>
#include <iterator>

#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

TEST_CASE("the row view shows the numbers of the heatmap's selected row, and leads to its cells") {
  WindowSession window;
  open_lesson(window, "16-causal-mask");
  std::vector<double> row;
  for (int key = 0; key < 6; ++key)
    row.push_back(value_of_cell(window, "stage.weights.h0", 6, 3, key));
  window.click("focus.more");
  window.click("view.row");
  for (int key = 0; key < 6; ++key) {
    const std::string shown = window.value("row.weights." + std::to_string(key));
    if (key > 3)
      CHECK(shown == "masked");
    else
      CHECK_THAT(number_from(shown), WithinAbs(row[static_cast<std::size_t>(key)], 5e-5));
  }
  window.click("row.weights.1");
  window.until("the cell is selected", [](const Moment& moment) {
    const Json& selection = moment.state.at("selection");
    return !selection.is_null() && selection.at("row") == 3 && selection.at("column") == 1;
  });
  CHECK_THAT(number_from(window.value("inspector.value")), WithinAbs(row[1], 1e-6));
  window.key("Up");
  window.until_value("row.query", "2");
  window.until_value("row.weights.3", "masked");
  window.key("alt+1");
  window.until_gone("row.query");
  CHECK(window.shows("focus.weights.h0"));
}

TEST_CASE("the flow view isolates the lines of the token pointed at") {
  WindowSession window;
  open_lesson(window, "20-two-heads");
  window.key("alt+2");
  window.until("all lines of both heads are there", [](const Moment& moment) {
    const Widget* lines = moment.find("flow.lines");
    return lines && lines->value.find("42 lines") == 0;
  });
  window.hover("flow.query.4");
  window.until_value("flow.lines", "42 lines, query 4");
  window.hover("flow.key.0");
  window.until_value("flow.lines", "42 lines, key 0");
  window.click("flow.query.2");
  window.until("the token is selected", [](const Moment& moment) {
    const Json& selection = moment.state.at("selection");
    return !selection.is_null() && selection.at("stage") == "queries" && selection.at("row") == 2;
  });
}

TEST_CASE("the vectors view has a point for each token and follows an edit") {
  WindowSession window;
  open_lesson(window, "04-softmax-and-context");
  window.click("stage.embeddings");
  window.click("focus.more");
  window.click("view.vectors");
  for (int token = 0; token < 6; ++token)
    CHECK(window.shows("vectors.embeddings." + std::to_string(token)));
  CHECK(window.value("vectors.embeddings.0") == "0.4300, 0.1500");
  set_cell(window, "inputs.embeddings[0,0]", "0.9");
  window.until_value("vectors.embeddings.0", "0.9000, 0.1500");
  window.choose("vectors.space", "values_context");
  window.until_value("vectors", "12 points");
}

TEST_CASE("the parts of the heads and the bias sum to the output") {
  WindowSession window;
  open_lesson(window, "20-two-heads");
  window.click("stage.output");
  const auto value_of = [&](const std::string& line) {
    return number_from(window.value("inspector.step.output." + line));
  };
  window.click("focus.more");
  window.click("focus.by_head");
  window.key("Escape");
  window.widget("focus.output.part1");
  window.click("focus.output.part0");
  window.until("a cell of the output is selected", [](const Moment& moment) {
    const Json& selection = moment.state.at("selection");
    return !selection.is_null() && selection.at("stage") == "output";
  });
  CHECK_THAT(value_of("head 0") + value_of("head 1") + value_of("bias"), WithinAbs(value_of("output"), 2e-4));
}

TEST_CASE("Space plays how the selected cell is computed, and Escape leads back to the picture") {
  WindowSession window;
  open_lesson(window, "16-causal-mask");
  value_of_cell(window, "stage.weights.h0", 6, 3, 1);
  window.key("space");
  window.until("it has played to its end", [](const Moment& moment) {
    const Json& playing = moment.state.at("playing");
    return playing.is_object() && playing.at("of") == "weights" && playing.at("t") == 1.0;
  });
  CHECK(window.value("play.toggle") == "Again");
  CHECK(window.shows("focus.weights.h0"));  // it ends in the picture at rest
  window.key("Left");
  window.until("a step back", [](const Moment& moment) {
    return moment.state.at("playing").at("t") < 1.0 && moment.find("play.stage") &&
           !moment.find("focus.weights.h0");
  });
  window.key("Escape");
  window.until_gone("play.timeline");
  CHECK(window.state().at("playing").is_null());
  CHECK(window.shows("focus.weights.h0"));
}

TEST_CASE("looking inside a sentence goes on with the head and the word whose beams it showed") {
  WindowSession window;
  window.key("ctrl+l");
  const double share = std::stod(window.value("sentence.beam.2")) / 100;  // "50 %"
  window.click("start.inside");
  const Moment inside = window.until("the cell of the strongest beam is selected", [](const Moment& moment) {
    return moment.find("focus.weights.h3") && !moment.state.at("selection").is_null();
  });
  CHECK(inside.state.at("selection").at("stage") == "weights");
  CHECK(inside.state.at("selection").at("row") == 12);
  CHECK(inside.state.at("selection").at("column") == 2);  // "Ann"
  CHECK_THAT(number_from(window.value("inspector.value")), WithinAbs(share, 0.006));
  CHECK(std::stod(window.value("line.beam.2")) / 100 == share);  // the beam stands over the picture
  CHECK(window.state().at("controls_in_sight") <= 40);
}

TEST_CASE("a beam of the start screen is pulled to another word, and looking inside takes it along") {
  WindowSession window;
  window.key("ctrl+l");
  window.until_value("sentence.beam.2", "91 %");
  const Widget end = window.widget("sentence.beam.2"), tom = window.widget("sentence.word.4");
  window.pull(end.x, end.y - 4, tom.x + tom.width / 2 - end.x, tom.y - 10 - end.y);
  window.until_value("sentence.beam.4", "95 % (supposed)");
  window.until_value("sentence.next.0", "Ann 64 %");
  CHECK(window.value("sentence.supposed").starts_with("Supposed: layer 2, head 3 looks at “Tom” with 95 %"));
  window.click("start.inside");
  const Moment inside = window.until("the supposed cell is selected", [](const Moment& moment) {
    return moment.find("focus.weights.h3") && !moment.state.at("selection").is_null();
  });
  CHECK(inside.state.at("selection").at("column") == 4);  // "Tom"
  CHECK_THAT(number_from(window.value("inspector.value")), WithinAbs(0.9486, 0.0001));
  CHECK(window.value("line.next").ends_with("Ann 64 %"));
  window.key("ctrl+l");
  window.until_value("sentence.beam.4", "95 % (supposed)");  // it stays
  window.key("Escape");
  window.until_value("sentence.beam.2", "91 %");
}

TEST_CASE("looking at other layers of a model asks nothing about saving") {
  WindowSession window;
  window.key("ctrl+l");
  window.click("start.inside");
  window.until("the model is open", [](const Moment& moment) { return moment.find("focus.layer"); });
  window.until_value("focus.layer", "2");
  window.key("alt+Up");
  window.until_value("focus.layer", "1");
  CHECK(window.state().at("document").at("saved") == true);
  window.click("toolbar.home");
  window.click("start.chapter.0");
  window.click("start.lesson.00-why-attention");
  window.until("the lesson is open", [](const Moment& moment) {
    return moment.state.at("document").at("title") == title_of_lesson("00-why-attention");
  });
}

TEST_CASE("the sentence of the start screen is saved as a picture") {
  WindowSession window({}, {}, FirstStart::New);
  window.widget("sentence.head");
  CHECK(window.state().at("controls_in_sight") <= 20);
  window.click("toolbar.share");
  window.click("menu.save_picture");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "sentence.svg");
  window.click("dialog.ok");
  window.until("it is saved", [](const Moment& moment) {
    const Widget* news = moment.find("start.news");
    return news && news->value.starts_with("Saved as ");
  });
  std::ifstream file(window.folder() / "sentence.svg");
  const std::string svg((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(svg.find("gave") != std::string::npos);
  CHECK(svg.find("91 %") != std::string::npos);
}
