// The manual in the window, and the layout of its pages at every width.
#include <algorithm>

#include "app/terminal/manual_files.h"
#include "app/ui/main_window/workbench.h"
#include "app/ui/manual/manual_plan.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A font whose characters are all 7 px wide, and pictures of 880 x 550 px.
ManualMetrics even_metrics() {
  ManualMetrics metrics;
  metrics.width = [](ManualFont, const std::string& text) {
    const auto begins = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
    return 7.0F * static_cast<float>(std::count_if(text.begin(), text.end(), begins));
  };
  metrics.line = [](ManualFont font) { return font == ManualFont::Title ? 30.0F : 20.0F; };
  metrics.picture = [](const std::string&) { return ImVec2{880, 550}; };
  return metrics;
}

struct ManualBench {
  WorkbenchState state;
  PanelFixture fixture{lesson_session("20-two-heads"), [this](UiContext& ui) { workbench(ui, state); }};
  PanelRobot& robot() { return fixture.robot(); }
  void open() {
    robot().frames(2);
    robot().key(Key::F1);
    robot().frames(3);
  }
};

}  // namespace

TEST_CASE("manual pages: at every width no word leaves the page and no line lies on another") {
  for (const std::string& name : manual_pages()) {
    const ManualPage page = read_manual_page(name);
    for (float width = 320; width <= 1000; width += 7) {
      INFO(name << ", " << width << " px");
      const ManualPlan plan = plan_manual_page(page, width, even_metrics());
      std::size_t outside = 0, overlapping = 0;
      for (std::size_t i = 0; i < plan.words.size(); ++i) {
        const PlacedWord& word = plan.words[i];
        const bool alone = i == 0 || plan.words[i - 1].y != word.y;
        outside += word.x < 0 || word.y + 20 > plan.height || (word.x + word.width > width && !alone);
        if (!alone) overlapping += word.x < plan.words[i - 1].x + plan.words[i - 1].width;
      }
      for (const PlacedPicture& picture : plan.pictures)
        outside += picture.box.width > width || picture.box.y + picture.box.height > plan.height;
      CHECK(outside == 0);
      CHECK(overlapping == 0);
    }
  }
}

TEST_CASE("manual pages: a line of code that is too wide continues below it") {
  const ManualPage page = parse_manual_page("a", "    headlight print FILE --stage weights\n");
  const ManualPlan plan = plan_manual_page(page, 200, even_metrics());
  REQUIRE(plan.words.size() == 2);
  CHECK(plan.words[0].text == "headlight print FILE");
  CHECK(plan.words[1].text == "--stage weights");
  CHECK(plan.words[1].y == plan.words[0].y + 20);
  CHECK(plan.words[1].x > plan.words[0].x);
}

TEST_CASE("manual window: F1 opens it, pages and links are followed, Back returns, Escape closes") {
  ManualBench bench;
  bench.open();
  CHECK(bench.robot().value("manual.title") == "The Headlight manual");
  bench.robot().click("manual.page.stages");
  bench.robot().frames(2);
  CHECK(bench.robot().value("manual.title") == "Stages and settings");
  CHECK(bench.robot().shows("manual.picture.pictures/stages.png"));
  bench.robot().click("manual.back");
  bench.robot().frames(2);
  CHECK(bench.robot().value("manual.title") == "The Headlight manual");
  bench.robot().click("manual.link.figures");
  bench.robot().frames(2);
  CHECK(bench.robot().value("manual.title") == "Figures and numbers");
  bench.robot().key(Key::Left, {.alt = true});
  bench.robot().frames(2);
  CHECK(bench.robot().value("manual.title") == "The Headlight manual");
  bench.robot().key(Key::Escape);
  bench.robot().frames(2);
  CHECK_FALSE(bench.robot().shows("manual.title"));
}

TEST_CASE("manual window: a page that is missing is reported in its place") {
  ManualBench bench;
  bench.state.manual.wanted = "fonts";
  bench.open();
  CHECK(bench.robot().value("manual.failure").find("the manual has no such page") != std::string::npos);
  bench.robot().click("manual.page.index");
  bench.robot().frames(2);
  CHECK(bench.robot().value("manual.title") == "The Headlight manual");
}
