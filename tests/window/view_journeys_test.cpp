// The views of the large picture in the real window.
#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

TEST_CASE("the row view shows the numbers of the heatmap's selected row, and leads to its cells") {
  WindowSession window;
  open_lesson(window, "16-causal-mask");
  std::vector<double> row;
  for (int key = 0; key < 6; ++key)
    row.push_back(value_of_cell(window, "stage.weights.h0", 6, 3, key));
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
  window.until_value("row.query", "3");
  window.until_value("row.weights.3", "masked");
  window.key("alt+1");
  window.until_gone("row.query");
  CHECK(window.shows("focus.weights.h0"));
}
