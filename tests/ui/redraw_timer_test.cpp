// The wake-up time of the window: the earliest one that a frame requests, in any order of panels.
#include "app/ui/context/redraw_timer.h"

#include "app/ui/main_window/workbench.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

TEST_CASE("redraw timer: the least of all wishes wins, and a new frame begins without any") {
  RedrawTimer redraw_timer;
  CHECK_FALSE(redraw_timer.seconds());
  redraw_timer.within(2);
  redraw_timer.within(0.01);
  redraw_timer.within(8);
  CHECK(redraw_timer.seconds() == 0.01);
  redraw_timer.within(0);
  CHECK(redraw_timer.seconds() == 0.0);
  redraw_timer.begin_frame();
  CHECK_FALSE(redraw_timer.seconds());
}

TEST_CASE("redraw timer: cells that glow move on while a message stands below them") {
  WorkbenchState state;
  PanelFixture panel(lesson_session("16-causal-mask"), [&](UiContext& ui) {
    workbench(ui, state);
    message_line(ui, state);
  });
  state.message = {"Kept.", false, ImGui::GetTime() + 8};
  panel.robot().frames(3);
  REQUIRE(panel.wakes_within());
  CHECK(*panel.wakes_within() > 7);  // only the end of the message
  panel.document().run(SetCells{{InputKind::Embeddings, 0}, 0, 0, Matrix::Constant(1, 1, 0.9f)});
  panel.robot().frames(3);
  REQUIRE(panel.wakes_within());
  CHECK(*panel.wakes_within() <= 0.02);
}
