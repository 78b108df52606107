// Colours in the real window: a chosen map and range show in the pixels and in the saved picture.
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/support/catch.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;

namespace {

// The pixel at `part` of a cell's width and height in a picture of 6 x 6 cells. 0.12 avoids the cell's
// number; small pictures have no numbers, and their middle may be used.
Pixel cell_pixel(WindowSession& window, const std::string& name, int row, int column, double part = 0.12) {
  const Widget cells = window.widget(name);
  return window.screen().at(static_cast<int>(cells.x + cells.width * (column + part) / 6),
                            static_cast<int>(cells.y + cells.height * (row + part) / 6));
}

// Waits until the pixel has the colour: for some time the outline of a cell that has just changed covers it.
bool becomes(WindowSession& window, const std::string& name, int row, int column, const Pixel& colour) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!(cell_pixel(window, name, row, column) == colour)) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace

TEST_CASE(
    "colours: a map, a range without the first token and decimals are chosen, and saved with the picture") {
  WindowSession window;
  window.key("ctrl+n");
  window.add_step("mask");
  window.until_value("settings.mask", "causal");
  window.click("stage.weights");
  // The first query attends to the first token only: the brightest colour of the map.
  CHECK(becomes(window, "focus.weights.h0", 0, 0, {0xCD, 0xEB, 0x8C}));
  window.click("focus.colours");
  window.click("colours.map.blues");
  window.until_value("colours.map.blues", "on");
  window.choose("colours.decimals", "2");
  window.until_value("colours.decimals", "2");
  window.key("Escape");
  window.until_gone("colours.decimals");
  CHECK(cell_pixel(window, "focus.weights.h0", 0, 0) == Pixel{0xF7, 0xFB, 0xFF});
  CHECK(cell_pixel(window, "stage.weights.h0", 0, 0, 0.5) == Pixel{0xF7, 0xFB, 0xFF});

  const Pixel second = cell_pixel(window, "focus.weights.h0", 1, 1);
  window.key("ctrl+p");
  window.type("leave the first token out");
  window.key("Return");
  window.until_gone("palette.query");
  CHECK_FALSE(cell_pixel(window, "focus.weights.h0", 1, 1) == second);
  CHECK(cell_pixel(window, "focus.weights.h0", 1, 1) == Pixel{0xF7, 0xFB, 0xFF});  // the largest one left

  window.key("ctrl+e");
  window.fill("dialog.name", "as-seen");
  window.fill("dialog.path", window.folder().string());
  window.click("dialog.ok");
  const std::filesystem::path file = window.folder() / "as-seen.png";
  window.until("the picture is saved", [&](const Moment& moment) {
    return moment.state.at("message").get<std::string>().find("as-seen.png") != std::string::npos &&
           std::filesystem::exists(file);
  });
  const Picture picture = read_png(file);
  int brightest = 0;
  for (const Pixel& pixel : picture.pixels)
    brightest += pixel == Pixel{0xF7, 0xFB, 0xFF};
  CHECK(brightest > 2 * 40 * 40);  // at least two cells, and the pointed end of the bar
}
