// The robot of the other tests: it drives widgets as a user would.
#include "tests/ui/support/panel_robot.h"

#include <utility>

#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::PanelRobot;

TEST_CASE("robot: clicks, drags, typing and keys reach the widgets they are meant for") {
  PanelRobot robot;
  int clicks = 0, double_clicks = 0;
  float slid = 0.5F;
  char text[32] = "0.43";
  int undos = 0;
  robot.draw_with([&] {
    if (ImGui::Button("press")) ++clicks;
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) ++double_clicks;
    robot.probe().mark("press", std::to_string(clicks));
    ImGui::SliderFloat("slide", &slid, 0, 1);
    robot.probe().mark("slide");
    ImGui::InputText("text", text, sizeof text);
    robot.probe().mark("text", text);
    if (key_pressed(Key::Z) && ctrl_held()) ++undos;
  });
  robot.frames(2);

  robot.click("press");
  robot.click("press");
  CHECK(clicks == 2);
  CHECK(double_clicks == 0);
  robot.double_click("press");
  CHECK(double_clicks == 1);

  robot.drag("slide", 60);
  CHECK(slid > 0.55F);

  robot.click("text");
  robot.key(Key::A, {.ctrl = true});
  robot.type("-2.5é");
  robot.key(Key::Backspace);
  robot.key(Key::Enter);
  CHECK(robot.value("text") == "-2.5");

  robot.key(Key::Z);
  CHECK(undos == 0);
  robot.key(Key::Z, {.ctrl = true});
  CHECK(undos == 1);
}

TEST_CASE("robot: a name that is not in sight is answered with the names that are") {
  PanelRobot robot;
  robot.draw_with([&] {
    ImGui::Button("here");
    robot.probe().mark("toolbar.here");
  });
  robot.frames(2);
  CHECK_THROWS_WITH(robot.click("toolbar.there"), ContainsSubstring("toolbar.here"));
}

TEST_CASE("probe: widgets scrolled out of sight are left out, those cut off keep the part in sight") {
  PanelRobot robot({400, 300});
  robot.draw_with([&] {
    begin_child("list", {200, 100}, false);
    for (int row = 0; row < 20; ++row) {
      ImGui::Dummy({50, 40});
      robot.probe().mark("row" + std::to_string(row));
    }
    ImGui::EndChild();
  });
  robot.frames(2);
  CHECK(robot.shows("row0"));
  CHECK_FALSE(robot.shows("row5"));
  const Rect cut = robot.widget("row2").rect;  // rows are 48 px apart: from 96 to 136, cut at 100
  CHECK(cut.bottom() == 100);
  CHECK(cut.height == 4);

  robot.wheel("row0", -100);
  CHECK_FALSE(robot.shows("row0"));
  CHECK(robot.shows("row19"));
}

TEST_CASE("a menu is closed by Escape, a dialog that holds the window is not") {
  PanelRobot robot;
  bool open_menu = true, open_dialog = false;
  robot.draw_with([&] {
    if (std::exchange(open_menu, false)) ImGui::OpenPopup("menu");
    if (std::exchange(open_dialog, false)) ImGui::OpenPopup("dialog");
    if (ImGui::BeginPopup("menu")) {
      ImGui::Button("entry");
      robot.probe().mark("entry");
      ImGui::EndPopup();
    }
    if (ImGui::BeginPopupModal("dialog")) {
      ImGui::Button("ok");
      robot.probe().mark("ok");
      ImGui::EndPopup();
    }
  });
  robot.frames(3);
  REQUIRE(robot.shows("entry"));
  robot.key(Key::Escape);
  CHECK_FALSE(robot.shows("entry"));
  open_dialog = true;
  robot.frames(3);
  REQUIRE(robot.shows("ok"));
  robot.key(Key::Escape);
  CHECK(robot.shows("ok"));
}
