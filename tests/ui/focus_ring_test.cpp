// Keyboard focus: controls in the order in which they are drawn, and in dialogs.
#include "app/ui/widgets/focus_ring.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/main_window/workbench.h"
#include "app/ui/widgets/dialog_frame.h"
#include "app/ui/widgets/widgets.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::PanelRobot;

namespace {

struct Controls {
  FocusRing ring;
  int pressed = 0;
  bool on = false, dialog = false;
  PanelFixture fixture{
      lesson_session("01-one-query-dot-products"), [this](UiContext& ui) { draw(ui); }, {400, 300}};
  PanelRobot& robot = fixture.robot();

  Controls() { robot.frames(2); }
  void draw(UiContext& ui) {
    if (tool_button(ui, "one", "One", "")) ++pressed;
    tool_button(ui, "off", "Off", "", false);
    check_box(ui, "two", "Two", on, "");
    if (dialog && begin_dialog(ui, "dialog", dialog, {200, 100}, "Dialog")) {
      if (tool_button(ui, "inner", "Inner", "")) close_dialog(dialog);
      end_dialog();
    }
    follow_focus(ui, ring);
  }
  std::string at() { return robot.shows("focus.ring") ? robot.value("focus.ring") : ""; }
};

}  // namespace

TEST_CASE("focus: Tab goes through what can be used, and Shift+Tab back") {
  Controls controls;
  CHECK(controls.at().empty());
  controls.robot.key(Key::Tab);
  CHECK(controls.at() == "one");
  controls.robot.key(Key::Tab);
  CHECK(controls.at() == "two");  // disabled controls are skipped
  controls.robot.key(Key::Tab);
  CHECK(controls.at() == "one");
  controls.robot.key(Key::Tab, {false, true, false});
  CHECK(controls.at() == "two");
}

TEST_CASE("focus: Tab scrolls to what is out of sight, in the order in which things are drawn") {
  FocusRing ring;
  constexpr int kRows = 30;
  int pressed = -1;
  PanelFixture fixture{lesson_session("01-one-query-dot-products"),
                       [&](UiContext& ui) {
                         begin_child("##list", {0, 100}, false);
                         for (int i = 0; i < kRows; ++i)
                           if (tool_button(ui, "row." + std::to_string(i), "Row", "")) pressed = i;
                         ImGui::EndChild();
                         tool_button(ui, "below", "Below", "");
                         follow_focus(ui, ring);
                       },
                       {400, 300}};
  PanelRobot& robot = fixture.robot();
  robot.frames(2);
  REQUIRE_FALSE(robot.shows("row.20"));
  for (int i = 0; i < kRows; ++i) {
    robot.key(Key::Tab);
    robot.frames(2);
    CHECK(robot.value("focus.ring") == "row." + std::to_string(i));
  }
  robot.key(Key::Space);
  robot.frames(2);
  CHECK(pressed == kRows - 1);
  robot.key(Key::Tab);
  CHECK(robot.value("focus.ring") == "below");
  robot.key(Key::Tab);
  robot.frames(2);
  CHECK(robot.value("focus.ring") == "row.0");
}

TEST_CASE("focus: Space and Enter press the control that has the ring") {
  Controls controls;
  controls.robot.key(Key::Tab);
  controls.robot.key(Key::Space);
  controls.robot.frames(2);
  CHECK(controls.pressed == 1);
  controls.robot.key(Key::Enter);
  controls.robot.frames(2);
  CHECK(controls.pressed == 2);
  controls.robot.key(Key::Tab);
  controls.robot.key(Key::Space);
  controls.robot.frames(2);
  CHECK(controls.on);
}

TEST_CASE("focus: the mouse takes the ring away, and Tab goes on behind what was clicked") {
  Controls controls;
  controls.robot.key(Key::Tab);
  controls.robot.click("one");
  CHECK(controls.at().empty());
  controls.robot.key(Key::Tab);
  CHECK(controls.at() == "two");
}

TEST_CASE("focus: within a dialog only its own controls are gone through") {
  Controls controls;
  controls.dialog = true;
  controls.robot.frames(3);
  controls.robot.key(Key::Tab);
  CHECK(controls.at() == "inner");
  controls.robot.key(Key::Tab);
  CHECK(controls.at() == "inner");
  controls.robot.key(Key::Space);
  controls.robot.frames(2);
  CHECK_FALSE(controls.dialog);
}

TEST_CASE("focus: in the workbench it comes to every control in sight, and into the grids") {
  WorkbenchState state;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) {
    workbench(ui, state);
    follow_focus(ui, state.focus);
  });
  panel.robot().frames(3);
  std::vector<std::string> wanted, visited;
  for (const ProbedWidget& widget : panel.robot().probe().widgets())
    if (widget.item != 0 && widget.enabled) wanted.push_back(widget.name);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    panel.robot().key(Key::Tab);
    visited.push_back(panel.robot().value("focus.ring"));
  }
  CHECK(visited == wanted);
  for (const char* name : {"toolbar.menu", "toolbar.share", "strip.settings", "strip.fold",
                           "inputs.embeddings.grid", "stage.weights", "view.flow", "focus.head.h0.on"}) {
    INFO(name);
    CHECK(std::find(visited.begin(), visited.end(), name) != visited.end());
  }
  while (panel.robot().value("focus.ring") != "inputs.embeddings.grid")
    panel.robot().key(Key::Tab);
  panel.robot().key(Key::Enter);
  panel.robot().frames(3);
  CHECK(panel.view().selection.input.has_value());
  CHECK_FALSE(panel.robot().shows("focus.ring"));  // Tab moves between cells
}
