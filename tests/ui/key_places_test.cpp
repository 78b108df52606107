// The window without a mouse: F6 through its parts, arrows in the sentence and in the picture, and Next.
#include "app/ui/main_window/keyboard_navigation.h"

#include <imgui_internal.h>

#include "app/ui/widgets/focus_ring.h"
#include "tests/support/catch.h"
#include "tests/ui/support/model_window.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct KeysWindow {
  WorkbenchState state;
  PanelFixture fixture;

  explicit KeysWindow(const std::string& lesson, bool reading)
      : fixture(lesson_session(lesson), [this](UiContext& ui) { draw(ui); }) {
    fixture.preferences().motion = false;
    if (reading) state.lesson.guide = begin_guide(fixture.document().session());
    robot().frames(6);
  }
  void draw(UiContext& ui) {
    ImGui::BringWindowToDisplayBack(ImGui::GetCurrentWindow());  // the robot's window
    workbench(ui, state);
    follow_focus(ui, state.focus);
  }
  PanelRobot& robot() { return fixture.robot(); }
  ViewState& view() { return fixture.view(); }
  void press(Key key, KeysHeld held = {}) {
    robot().key(key, held);
    robot().frames(3);
  }
  // Where the ring is seen; "": nowhere.
  std::string ring() { return robot().shows("focus.ring") ? robot().value("focus.ring") : ""; }
};

}  // namespace

TEST_CASE("keys: F6 goes through bar, sentence, strip, inputs and picture, and Shift+F6 back") {
  KeysWindow window("20-two-heads", false);
  window.press(Key::F6);
  CHECK(window.ring().starts_with("toolbar."));
  window.press(Key::F6);
  CHECK(window.ring().starts_with("line.word."));
  window.press(Key::F6);
  CHECK(window.ring().starts_with("stage."));
  window.press(Key::F6);
  CHECK(window.view().selection.input == InputId{InputKind::Embeddings});
  window.press(Key::F6);
  REQUIRE(window.view().selection.input);
  CHECK(window.view().selection.input->kind == InputKind::Weight);
  window.press(Key::F6);
  CHECK_FALSE(window.view().selection.input);
  REQUIRE(window.view().selection.cell);
  window.press(Key::F6, {.shift = true});
  REQUIRE(window.view().selection.input);
  CHECK(window.view().selection.input->kind == InputKind::Weight);
  window.press(Key::F6, {.shift = true});
  window.press(Key::F6, {.shift = true});
  CHECK(window.ring().starts_with("stage."));
}

TEST_CASE("keys: in the picture arrows move the cell, Page Up and Down the stage, with Shift the head") {
  KeysWindow window("20-two-heads", false);
  window.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 0, 0};
  window.press(Key::Down);
  window.press(Key::Right);
  window.press(Key::PageDown, {.shift = true});
  CHECK(window.view().selection.cell == CellAddress{Stage::Weights, 0, 1, 1, 1});
  window.press(Key::End);
  CHECK(window.view().selection.cell == CellAddress{Stage::Weights, 0, 1, 1, 5});
  window.press(Key::PageUp);
  CHECK(window.view().focused_stage == Stage::Masked);
  CHECK(window.fixture.commands().empty());
}

TEST_CASE("keys: a sentence that is read from the right runs from there, and the left arrow leads on") {
  KeysWindow window("20-two-heads", false);
  const std::vector<std::string> words = {"الرحلة", "تبدأ", "بخطوة", "واحدة", "فقط", "دائما"};
  for (std::size_t i = 0; i < words.size(); ++i)
    window.fixture.document().run(RenameToken{static_cast<Index>(i), words[i], false});
  window.robot().frames(6);
  const auto word = [&](int at) { return window.robot().widget("line.word." + std::to_string(at)).rect; };
  const double room = word(0).right();
  for (int i = 1; i < 6; ++i)
    CHECK(word(i).right() <= word(i - 1).x);
  CHECK(room > 1000);  // it begins at the right end of the line
  window.press(Key::F6);
  window.press(Key::F6);
  REQUIRE(window.ring() == "line.word.5");
  window.press(Key::Right);
  CHECK(window.ring() == "line.word.4");
  window.press(Key::Left);
  CHECK(window.ring() == "line.word.5");
}

TEST_CASE("keys: in the sentence arrows choose the word that asks, and Enter types another") {
  KeysWindow window("20-two-heads", false);
  window.press(Key::F6);
  window.press(Key::F6);
  REQUIRE(window.ring() == "line.word.5");  // the last word asks
  window.press(Key::Left);
  CHECK(window.ring() == "line.word.4");
  CHECK(window.robot().value("line.word.4").ends_with("(query)"));
  REQUIRE(window.view().selection.cell);
  CHECK(window.view().selection.cell->row == 4);
  CHECK(window.view().selection.cell->column == 4);  // the arrow moved the word, not the cell
  window.press(Key::Right);
  CHECK(window.ring() == "line.word.5");
  window.press(Key::Enter);
  REQUIRE(window.robot().shows("line.text"));
  window.robot().type("stone");
  window.press(Key::Enter);
  CHECK(window.fixture.layer().tokens[5] == "stone");
}

TEST_CASE("keys: a lesson's Next is two keys away from its picture and from the bar") {
  KeysWindow window("16-causal-mask", true);
  const auto steps = [&] { return window.state.lesson.guide.step; };
  while (window.state.key_place != KeyPlace::Picture)
    window.press(Key::F6);
  window.press(Key::F6);
  CHECK(window.ring() == "lesson.next");
  window.press(Key::Enter);
  CHECK(steps() == 1);
  while (window.state.key_place != KeyPlace::Bar)
    window.press(Key::F6);
  window.press(Key::F6, {.shift = true});
  CHECK(window.ring() == "lesson.next");
  window.press(Key::Enter);
  CHECK(steps() == 2);
}

TEST_CASE("keys: Alt+Page Down is Next wherever the keyboard is") {
  KeysWindow window("16-causal-mask", true);
  for (std::size_t step = 1; step < window.fixture.document().session().lesson->steps.size(); ++step) {
    window.press(Key::F6);
    INFO(window.ring());
    window.press(Key::PageDown, {.alt = true});
    CHECK(window.state.lesson.guide.step == step);
  }
}

TEST_CASE("keys: Enter and Space press what the ring is around, before and after the field was open") {
  const bool field = GENERATE(false, true), space = GENERATE(false, true);
  INFO((field ? "after the field" : "at once") << (space ? ", Space" : ", Enter"));
  KeysWindow window("23-why-the-dot-product", true);
  if (field) {
    window.press(Key::K, {.ctrl = true});
    window.press(Key::Escape);
  }
  for (int i = 0; i < 8 && window.ring() != "lesson.next"; ++i)
    window.press(Key::F6);
  REQUIRE(window.ring() == "lesson.next");
  window.press(space ? Key::Space : Key::Enter);
  CHECK(window.state.lesson.guide.step == 1);
}
