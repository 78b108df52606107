// Lessons in the real window: their steps, an edit between them, and "Step through".
#include <cmath>
#include <set>

#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

void next_step(WindowSession& window, const std::string& place) {
  window.click("lesson.next");
  window.until_value("lesson.step", place);
}

// Whether the whole widget lies inside the window.
bool in_sight(const Moment& moment, const std::string& name, ScreenSize screen) {
  const Widget* widget = moment.find(name);
  return widget && widget->x >= 0 && widget->y >= 0 && widget->x + widget->width <= screen.width &&
         widget->y + widget->height <= screen.height;
}

std::vector<std::string> all_stems() {
  std::vector<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(lesson_file("x").parent_path()))
    if (entry.path().extension() == ".headlight") stems.push_back(entry.path().stem().string());
  return stems;
}

}  // namespace

TEST_CASE("a lesson is gone through, and the numbers it quotes are those of the cells") {
  WindowSession window;
  open_lesson(window, "01-one-query-dot-products");  // as a copy: what is tried in it is not asked about
  window.until_value("lesson.step", "1 of 5");
  next_step(window, "2 of 5");
  next_step(window, "3 of 5");
  const Json selection = window.state().at("selection");
  CHECK(selection.at("stage") == "scores");
  CHECK(selection.at("row") == 1);
  CHECK(selection.at("column") == 0);
  CHECK(window.value("inspector.cell") == "scores[journey (1), Your (0)]");
  const double quoted = number_from(window.value("lesson.quote.8"));
  CHECK(std::abs(quoted - number_from(window.value("inspector.value"))) < 5e-5);
  CHECK(std::abs(quoted - (0.43 * 0.55 + 0.15 * 0.87 + 0.89 * 0.66)) < 5e-5);
  CHECK(window.shows("spotlight.scores"));

  window.key("alt+Next");
  window.until_value("lesson.step", "4 of 5");
  window.key("alt+Prior");
  window.until_value("lesson.step", "3 of 5");
  window.click("lesson.dot.4");
  window.until_value("lesson.step", "5 of 5");
  window.wheel("lesson.text", -20);  // the question is below the text
  window.click("lesson.guess.give");
  window.until("the reply takes the question's place, and the right bar moves in", [](const Moment& moment) {
    const Widget* bar = moment.find("lesson.bar.4");
    return moment.find("lesson.reply") && bar && bar->value.find("right") != std::string::npos;
  });
  const std::string title = title_of_lesson("02-dividing-by-the-sum");
  window.click("lesson.following");
  window.until("the next lesson is open, and nothing was asked", [&](const Moment& moment) {
    return moment.state.at("document").at("title") == title && moment.find("lesson.step");
  });
}

TEST_CASE("an edit in between is told and kept until the lesson is restored") {
  WindowSession window({lesson_file("03-naive-softmax").string()});
  next_step(window, "2 of 5");
  CHECK_FALSE(window.shows("lesson.departure"));
  set_cell(window, "inputs.embeddings[4,1]", "0.75");
  CHECK(window.value("lesson.departure") == "You changed numbers since this lesson began.");
  window.click("lesson.next");
  window.until_value("settings.normalization", "sum");
  CHECK(number_from(window.value("inputs.embeddings[4,1]")) == 0.75);
  window.click("lesson.restore");
  window.until_gone("lesson.departure");
  CHECK(number_from(window.value("inputs.embeddings[4,1]")) == 0.25);
  CHECK(window.value("settings.normalization") == "sum");
  window.key("ctrl+z");
  window.until("the edit is back", [](const Moment& moment) {
    const Widget* cell = moment.find("inputs.embeddings[4,1]");
    return cell && number_from(cell->value) == 0.75;
  });
}

TEST_CASE("what a lesson has set, and what was tried in it, is nothing to ask about before the next one") {
  WindowSession window;
  open_lesson(window, "03-naive-softmax");
  window.click("lesson.dot.2");
  window.until_value("settings.normalization", "sum");
  CHECK(window.value("status.saved").find("not saved") == std::string::npos);
  window.click("lesson.dot.4");
  window.until_value("settings.normalization", "naive_softmax");
  set_cell(window, "inputs.embeddings[4,1]", "0.75");
  CHECK(window.value("lesson.departure") == "You changed numbers since this lesson began.");
  const std::string title = title_of_lesson("04-softmax-and-context");
  window.click("lesson.following");
  window.until("the next lesson is open",
               [&](const Moment& moment) { return moment.state.at("document").at("title") == title; });
}

TEST_CASE("a lesson that is returned to is at the step that was left") {
  WindowSession window;
  open_lesson(window, "01-one-query-dot-products");
  next_step(window, "2 of 5");
  next_step(window, "3 of 5");
  open_lesson(window, "02-dividing-by-the-sum");
  window.until_value("lesson.step", "1 of 5");
  window.click("lesson.previous");
  window.until_value("lesson.step", "3 of 5");
  window.click("lesson.dot.4");
  window.until_value("lesson.step", "5 of 5");
  window.click("lesson.following");
  window.until_value("lesson.step", "1 of 5");
  window.click("lesson.previous");  // back from behind its end
  window.until_value("lesson.step", "5 of 5");
}

TEST_CASE("a lesson that was named on the command line is returned to at the step that was left, too") {
  WindowSession window({lesson_file("01-one-query-dot-products").string()});
  window.click("lesson.dot.4");
  window.until_value("lesson.step", "5 of 5");
  window.click("lesson.following");
  window.until_value("lesson.step", "1 of 5");
  window.click("lesson.previous");
  window.until_value("lesson.step", "5 of 5");
}

TEST_CASE("one pass is stepped through for a token of one's choice") {
  WindowSession window({lesson_file("20-two-heads").string()});
  value_of_cell(window, "stage.weights.h1", 6, 3, 1);
  window.click("card.more");
  window.click("walk.start");
  window.until("the walk begins with the token's embedding", [](const Moment& moment) {
    const Widget* text = moment.find("lesson.text");
    return text && text->value.find("with") != std::string::npos && moment.find("walk.leave");
  });
  window.key("alt+Next");
  window.until_value("lesson.title", "Its query");
  while (window.value("lesson.title") != "The output")
    window.key("alt+Next");
  CHECK(window.state().at("selection").at("stage") == "output");
  CHECK(window.state().at("selection").at("row") == 3);
  window.until("the step plays its motion",
               [](const Moment& moment) { return moment.state.at("playing").is_object(); });
  window.key("Escape");
  window.until("the motion has ended",
               [](const Moment& moment) { return moment.state.at("playing").is_null(); });
  window.key("Escape");
  window.until_gone("walk.leave");
}

TEST_CASE("all lessons are in sight in the menu, and can be reached on the start screen") {
  const ScreenSize screen;
  WindowSession window({}, screen);
  window.click("toolbar.menu");
  window.click("menu.lessons");
  const Moment menu = window.now();
  REQUIRE(all_stems().size() == 40);
  for (const std::string& stem : all_stems()) {
    INFO(stem);
    CHECK(in_sight(menu, "menu.lesson." + stem, screen));
  }
  window.key("Escape");
  window.until_gone("menu.lesson.01-one-query-dot-products");
  window.key("ctrl+l");
  window.widget("start.close");
  std::set<std::string> reached;
  constexpr int kChapters = 7;
  for (int chapter = 0; chapter < kChapters; ++chapter) {
    window.click("start.chapter." + std::to_string(chapter));
    window.widget("start.chapters");
    if (window.shows("start.variations")) window.click("start.variations");
    const Moment now = window.now();
    for (const std::string& stem : all_stems())
      if (in_sight(now, "start.lesson." + stem, screen)) reached.insert(stem);
    window.click("start.chapters");
    window.until_gone("start.chapters");
  }
  CHECK(reached.size() == all_stems().size());
}

TEST_CASE("what is said of a lesson's broken file goes when the file is whole again") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.headlight";
  std::filesystem::copy_file(lesson_file("05-all-queries-at-once"), file);
  const std::string whole = text_of(file);
  const auto written = std::filesystem::last_write_time(file);
  WindowSession window({file.string()});
  const auto breaks = [&] {
    folder.write("mine.headlight", "{ not a lesson");
    window.until("the error is told", [](const Moment& moment) {
      return std::string(moment.state.at("message")).find("mine.headlight") != std::string::npos;
    });
  };
  const auto is_told_no_more = [&] {
    window.until("nothing is said of it", [](const Moment& moment) {
      return std::string(moment.state.at("message")).find("mine.headlight") == std::string::npos;
    });
  };
  breaks();  // restored, with its old modification time
  folder.write("mine.headlight", whole);
  std::filesystem::last_write_time(file, written);
  is_told_no_more();
  breaks();  // replaced by another valid file
  folder.write("mine.headlight", whole + "\n");
  is_told_no_more();
  breaks();  // the user edits before it is restored
  set_cell(window, "inputs.embeddings[0,0]", "0.7");
  folder.write("mine.headlight", whole);
  is_told_no_more();
  CHECK(window.value("inputs.embeddings[0,0]") == "0.7");
}

TEST_CASE("a lesson's text has a column of its own, and the derivation is a card that is moved and closed") {
  WindowSession window({lesson_file("16-causal-mask").string()});
  const Json lesson = window.state().at("lesson");
  CHECK(lesson.at("words") == lesson.at("words_in_sight"));
  const Json column = lesson.at("rectangle");
  CHECK(column.at(2).get<double>() >= 360);
  CHECK(column.at(2).get<double>() <= 440);
  CHECK(column.at(3).get<double>() > 650);
  window.click("lesson.next");
  window.until_value("lesson.step", "2 of 5");
  CHECK(window.state().at("lesson").at("rectangle") == column);

  const Json card = window.state().at("card");
  REQUIRE_FALSE(card.is_null());
  CHECK(card.at(0).get<double>() >= column.at(2).get<double>());  // at the right of the picture
  window.key("Escape");
  window.until("the card is closed", [](const Moment& moment) {
    return moment.state.at("card").is_null() && moment.state.at("selection").is_null();
  });
  window.click("inputs.fold.tokens");
  window.until("the inputs are unfolded",
               [](const Moment& moment) { return moment.find("inputs.embeddings[0,0]"); });
  window.resize({1024, 700});
  window.until("the text is beside the picture", [](const Moment& moment) {
    const Widget* title = moment.find("lesson.title");
    const Widget* picture = moment.find("focus.area");
    return title && picture && title->x < 100 && picture->x > title->x + 300;
  });
  window.resize({800, 600});
  window.until("the text is above the picture", [](const Moment& moment) {
    const Widget* title = moment.find("lesson.title");
    return title && title->x < 100 && moment.find("lesson.next");
  });
}
