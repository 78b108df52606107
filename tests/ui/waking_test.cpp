// Who wakes the window: the soonest wish of a frame wins, whichever panel is drawn last.
#include "app/ui/context/waking.h"

#include "app/ui/frame/workbench.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

TEST_CASE("waking: the least of all wishes wins, and a new frame begins without any") {
  Waking waking;
  CHECK_FALSE(waking.seconds());
  waking.within(2);
  waking.within(0.01);
  waking.within(8);
  CHECK(waking.seconds() == 0.01);
  waking.within(0);
  CHECK(waking.seconds() == 0.0);
  waking.begin_frame();
  CHECK_FALSE(waking.seconds());
}

TEST_CASE("waking: cells that glow move on while a message stands below them") {
  WorkbenchState state;
  PanelFixture panel(lesson_session("16-causal-mask"), [&](UiContext& ui) {
    workbench(ui, state);
    message_line(ui, state);
  });
  state.message = {"Kept as A.", false, ImGui::GetTime() + 8};
  panel.robot().frames(3);
  REQUIRE(panel.wakes_within());
  CHECK(*panel.wakes_within() > 7);  // nothing but the message's end
  panel.document().run(SetCells{{InputKind::Embeddings, 0}, 0, 0, Matrix::Constant(1, 1, 0.9f)});
  panel.robot().frames(3);
  REQUIRE(panel.wakes_within());
  CHECK(*panel.wakes_within() <= 0.02);
}
