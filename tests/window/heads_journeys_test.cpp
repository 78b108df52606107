// Heads in the real window: while a head is off, its part of the result is 0.
#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

// The value of a cell of a picture with `columns` columns and six rows, from the inspector.
double value_at(WindowSession& window, const std::string& picture, int columns, int row, int column) {
  const Widget cells = window.widget(picture);
  window.click_at(cells.x + cells.width * (column + 0.5) / columns, cells.y + cells.height * (row + 0.5) / 6);
  window.until("the cell is selected", [&](const Moment& moment) {
    const Json& selection = moment.state.at("selection");
    return !selection.is_null() && selection.at("row") == row && selection.at("column") == column;
  });
  return number_from(window.value("inspector.value"));
}

}  // namespace

TEST_CASE("a head that is switched off leaves concat, solo leaves the others out") {
  WindowSession window;
  open_lesson(window, "20-two-heads");
  hide_lesson_text(window);  // for all controls
  CHECK(value_at(window, "stage.concat.h0", 2, 3, 1) != 0);
  window.click("stage.weights");
  CHECK(window.value("focus.head.h1.summary").find("entropy") == 0);
  window.click("focus.head.h1.on");
  window.until_value("focus.head.h1.on", "off");
  CHECK(value_at(window, "stage.concat.h0", 2, 3, 1) == 0);
  CHECK(value_at(window, "stage.concat.h0", 2, 3, 0) != 0);

  window.click("stage.weights");
  window.click("focus.head.h1.on");
  window.until_value("focus.head.h1.on", "on");
  window.right_click("focus.head.h1.on");
  window.click("focus.head.h1.solo");
  window.until_value("focus.head.h0.on", "off");
  CHECK(value_at(window, "stage.concat.h0", 2, 3, 0) == 0);
  CHECK(value_at(window, "stage.concat.h0", 2, 3, 1) != 0);
  for (int step = 0; step < 3; ++step)
    window.key("ctrl+z");
  window.until("nothing is left to undo",
               [](const Moment& moment) { return !moment.find("toolbar.undo")->enabled; });
}

TEST_CASE("heads are sorted from the palette, and their table is copied and saved as it is sorted") {
  WindowSession window({source_root() + "/assets/examples/induction-head.headlight"});
  window.key("ctrl+p");
  window.type("sort by induction");
  window.key("Return");
  window.until("the captions tell it",
               [](const Moment& moment) { return moment.find("focus.head.h3.measure") != nullptr; });
  CHECK(number_from(window.value("focus.head.h3.measure")) > 0.9);
  // Beside the lesson's text the header has no room for its button.
  window.key("ctrl+p");
  window.type("table of heads");
  window.key("Return");
  window.until_value("heads.column.induction", "descending");
  window.click("heads.copy");
  window.until("it is copied", [](const Moment& moment) {
    return moment.state.at("message").get<std::string>() == "Copied the table of heads";
  });
  const std::string copied = window.clipboard();
  CHECK(copied.rfind("head\tprevious_token\t", 0) == 0);
  CHECK(std::count(copied.begin(), copied.end(), '\n') == 5);
  window.click("heads.csv");
  window.fill("dialog.path", window.folder().string());
  window.key("Return");
  window.fill("dialog.name", "heads.csv");
  window.click("dialog.ok");
  const std::filesystem::path file = window.folder() / "heads.csv";
  window.until("the table is saved", [&](const Moment&) { return std::filesystem::exists(file); });
  std::string saved = text_of(file);
  std::replace(saved.begin(), saved.end(), ',', '\t');
  CHECK(saved == copied);
}
