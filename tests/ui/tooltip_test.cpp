// Tooltips: their delay and their position.
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

#include <imgui_internal.h>

#include <cmath>

#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct Buttons {
  PanelFixture fixture{
      lesson_session("01-one-query-dot-products"), [](UiContext& ui) { draw(ui); }, {400, 300}};
  headlight_test::PanelRobot& robot = fixture.robot();

  Buttons() { robot.frames(2); }
  static void draw(UiContext& ui) {
    ImGui::SetCursorScreenPos({40, 20});
    tool_button(ui, "upper", "Upper", "What the upper one does");
    ImGui::SetCursorScreenPos({40, 60});
    primary_button(ui, "main", "Main", "What the main one does");
    ImGui::SetCursorScreenPos({360, 270});
    tool_button(ui, "lower", "Low", "What the lower one does, in more words than fit on a line or two of it");
  }
  ImGuiWindow* tip() {
    for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->Active && !window->Hidden && (window->Flags & ImGuiWindowFlags_Tooltip)) return window;
    return nullptr;
  }
};

}  // namespace

TEST_CASE("tooltip: it comes when the pointer has rested for 0.6 seconds") {
  Buttons buttons;
  buttons.robot.hover("upper");
  buttons.robot.rest(0.4f);
  CHECK_FALSE(buttons.robot.shows("tooltip"));
  REQUIRE(buttons.fixture.wakes_within());
  CHECK(*buttons.fixture.wakes_within() <= 0.6);
  buttons.robot.rest(0.3f);
  CHECK(buttons.robot.value("tooltip") == "What the upper one does");
  buttons.robot.hover("lower");
  CHECK_FALSE(buttons.robot.shows("tooltip"));
}

TEST_CASE("tooltip: not after a click, until the pointer has been elsewhere") {
  Buttons buttons;
  buttons.robot.click("upper");
  buttons.robot.rest(1);
  buttons.robot.frames(2);
  CHECK_FALSE(buttons.robot.shows("tooltip"));
  buttons.robot.move_to({5, 200});
  buttons.robot.frames(2);
  buttons.robot.hover("upper");
  buttons.robot.rest(0.7f);
  CHECK(buttons.robot.shows("tooltip"));
}

TEST_CASE("tooltip: of two controls under the pointer one has it, and nothing waits for ever") {
  bool due = false, waits = false;
  PanelFixture fixture(
      lesson_session("01-one-query-dot-products"),
      [&](UiContext& ui) {
        const bool upper = tooltip_due(ui, {10, 10, 80, 20}), lower = tooltip_due(ui, {10, 20, 80, 20});
        due = upper || lower;
        waits = tooltip_waits(ui.view.tip);
      },
      {400, 300});
  fixture.robot().frames(2);
  CHECK_FALSE(waits);  // the pointer has not moved there
  fixture.robot().move_to({50, 25});
  CHECK_FALSE(due);
  CHECK(waits);
  fixture.robot().rest(1);
  fixture.robot().frames(1);
  CHECK(due);
  CHECK_FALSE(waits);
}

TEST_CASE(
    "tooltip: below its control, above where there is no room, never over it or outside of the window") {
  Buttons buttons;
  for (const char* name : {"upper", "lower"}) {
    INFO(name);
    buttons.robot.hover(name);
    buttons.robot.rest(0.7f);
    buttons.robot.frames(3);
    const Rect control = buttons.robot.widget(name).rect;
    const ImGuiWindow* tip = buttons.tip();
    REQUIRE(tip);
    const float top = tip->Pos.y, bottom = tip->Pos.y + tip->Size.y;
    CHECK((static_cast<double>(top) >= control.bottom() || static_cast<double>(bottom) <= control.y));
    CHECK(tip->Pos.x >= 0);
    CHECK(tip->Pos.x + tip->Size.x <= 400);
    CHECK(top >= 0);
    CHECK(bottom <= 300);
    CHECK((static_cast<double>(top) >= control.bottom()) == (std::string(name) == "upper"));
  }
}

TEST_CASE("tooltip: in a large item it stands beside the pointer, and below a given part of it") {
  const Rect cell = {200, 100, 24, 40};
  bool of_cell = false;
  PanelFixture fixture(lesson_session("01-one-query-dot-products"),
                       [&](UiContext& ui) {
                         ImGui::SetCursorScreenPos({10, 10});
                         click_area("picture", {380, 280});
                         ui.probe.mark("picture");
                         of_cell ? tooltip(ui, "0.1234", cell) : tooltip(ui, "0.1234");
                       },
                       {400, 300});
  headlight_test::PanelRobot& robot = fixture.robot();
  for (const bool part : {false, true}) {
    of_cell = part;
    robot.move_to({2, 2});
    robot.frames(2);
    robot.move_to({205, 104});
    robot.rest(0.7f);
    robot.frames(3);
    const ImGuiWindow* tip = nullptr;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->Active && !window->Hidden && (window->Flags & ImGuiWindowFlags_Tooltip)) tip = window;
    REQUIRE(tip);
    CHECK(std::abs(tip->Pos.x - 205) < 12);
    CHECK(tip->Pos.y > (part ? cell.bottom() : 104.0));
    CHECK(tip->Pos.y < (part ? cell.bottom() : 104.0) + 40);
  }
}

TEST_CASE("tooltip: its letters have the colour of text, whatever its button has") {
  Buttons buttons;
  for (const char* name : {"upper", "main"}) {
    INFO(name);
    buttons.robot.hover(name);
    buttons.robot.rest(0.7f);
    buttons.robot.frames(3);
    const ImGuiWindow* tip = buttons.tip();
    REQUIRE(tip);
    const ImVector<ImDrawVert>& corners = tip->DrawList->VtxBuffer;
    REQUIRE_FALSE(corners.empty());
    CHECK(corners.back().col == ImGui::GetColorU32(ImGuiCol_Text));
  }
}

TEST_CASE("tooltip: its lines break at spaces, never inside a number") {
  std::string narrow, wide, lines;
  const auto measure = [&](UiContext&) {
    const float width = ImGui::CalcTextSize("from 0.0000").x;
    narrow = broken_at_spaces("from 0.0000 to 0.1234, changed", width + 1);
    wide = broken_at_spaces("from 0.0000", 1000);
    lines = broken_at_spaces("one\ntwo", 1000);
  };
  PanelFixture fixture{lesson_session("01-one-query-dot-products"), measure, {400, 300}};
  fixture.robot().frames(1);
  CHECK(narrow == "from 0.0000\nto 0.1234,\nchanged");
  CHECK(wide == "from 0.0000");
  CHECK(lines == "one\ntwo");
}

TEST_CASE("tooltip: not after a click on a control that the click has changed") {
  bool pressed = false;
  PanelFixture fixture(lesson_session("01-one-query-dot-products"),
                       [&](UiContext& ui) {
                         ImGui::SetCursorScreenPos({40, 20});
                         pressed = tool_button(ui, "switch", pressed ? "Pause it" : "Go", "What it does") ||
                                   pressed;
                       },
                       {400, 300});
  headlight_test::PanelRobot& robot = fixture.robot();
  robot.frames(2);
  robot.click("switch");
  REQUIRE(pressed);
  robot.rest(1);
  robot.frames(2);
  robot.rest(1);
  CHECK_FALSE(robot.shows("tooltip"));
  robot.move_to({5, 200});
  robot.frames(2);
  robot.hover("switch");
  robot.rest(1);
  CHECK(robot.shows("tooltip"));
}

TEST_CASE("tooltip: a control that moves below the pointer has none, after a click or without one") {
  for (const bool clicks : {true, false}) {
    INFO(clicks);
    bool gone = false, there = false;
    PanelFixture fixture(lesson_session("01-one-query-dot-products"),
                         [&](UiContext& ui) {
                           ImGui::SetCursorScreenPos({40, 20});
                           if (!gone) gone = tool_button(ui, "see", "See it", "It goes") && clicks;
                           ImGui::SetCursorScreenPos({30, there ? 10.0f : 200.0f});
                           if (there || clicks) tool_button(ui, "inputs", "The inputs", "They come");
                         },
                         {400, 300});
    headlight_test::PanelRobot& robot = fixture.robot();
    robot.frames(2);
    if (clicks)
      robot.click("see");
    else
      robot.move_to({50, 30});
    gone = true;
    robot.frames(5);  // nothing is below the pointer for a while
    there = true;
    robot.frames(2);
    robot.rest(1);
    robot.rest(1);
    CHECK_FALSE(robot.shows("tooltip"));
    robot.move_to({5, 200});
    robot.frames(2);
    robot.hover("inputs");
    robot.rest(1);
    CHECK(robot.value("tooltip") == "They come");
  }
}
