// The field in the line of words: where labels are in a text, and renaming a token of a layer.
#include "app/ui/start/line_editor.h"

#include <imgui_internal.h>

#include "app/ui/main_window/workbench.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct LayerWindow {
  WorkbenchState state;
  PanelFixture fixture;

  LayerWindow() : fixture(lesson_session("16-causal-mask"), [this](UiContext& ui) { draw(ui); }) {
    fixture.preferences().motion = false;
    fixture.robot().frames(4);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
  }
};

}  // namespace

TEST_CASE("line editor: the parts of a text are those of its labels") {
  const auto parts = parts_of("Ann met  the mat", {"<start>", " Ann", " met", " the", " m", "at"});
  REQUIRE(parts);
  REQUIRE(parts->size() == 6);
  CHECK((*parts)[0].begin == (*parts)[0].end);  // the tokenizer adds it
  CHECK((*parts)[1].begin == 0);
  CHECK((*parts)[1].end == 3);
  CHECK((*parts)[3].begin == 9);
  CHECK((*parts)[4].end == 14);
  CHECK((*parts)[5].end == 16);
  CHECK_FALSE(parts_of("Ann saw it", {" Ann", " met"}));  // of another text
  CHECK_FALSE(parts_of("Ann saw me", {" Ann", " me"}));   // a word between them
  CHECK(parts_of("", {}));
}

TEST_CASE("line editor: in a layer alone a double click renames the token, and Enter keeps the name") {
  LayerWindow window;
  PanelRobot& robot = window.fixture.robot();
  robot.double_click("line.word.1");
  robot.frames(2);
  REQUIRE(robot.shows("line.text"));
  CHECK(robot.value("line.text") == "journey");
  CHECK(robot.shows("line.word.0"));
  CHECK_FALSE(robot.shows("line.word.1"));
  const Matrix before = window.fixture.layer().embeddings[0];
  robot.type("road");
  robot.key(Key::Enter);
  robot.frames(2);
  CHECK(window.fixture.layer().tokens[1] == "road");
  CHECK(window.fixture.layer().embeddings[0] == before);
  robot.double_click("line.word.1");
  robot.key(Key::Delete);  // the whole word was selected: no name is no change
  robot.key(Key::Enter);
  robot.frames(2);
  CHECK(window.fixture.layer().tokens[1] == "road");
}
