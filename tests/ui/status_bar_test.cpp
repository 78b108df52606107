// The bar at the bottom.
#include "app/ui/frame/workbench.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

TEST_CASE("status bar: work that takes long says how far it is, and is silent when it is done") {
  WorkbenchState state;
  std::optional<double> progress;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) {
    ui.progress = progress;
    status_bar(ui, state);
  });
  CHECK_FALSE(panel.robot().shows("status.progress"));
  progress = 0.427;
  panel.robot().frames(1);
  CHECK(panel.robot().value("status.progress") == "computing  43 %");
  progress.reset();
  panel.robot().frames(1);
  CHECK_FALSE(panel.robot().shows("status.progress"));
}

TEST_CASE("status bar: good news stands in it and covers nothing; an error stays until it is closed") {
  WorkbenchState state;
  PanelFixture panel(lesson_session("20-two-heads"), [&](UiContext& ui) {
    status_bar(ui, state);
    message_line(ui, state);
  });
  state.message = {"Kept as A.", false, ImGui::GetTime() + 8};
  panel.robot().frames(1);
  CHECK(panel.robot().value("message") == "Kept as A.");
  CHECK(panel.robot().shows("message.line"));
  CHECK_FALSE(panel.robot().shows("message.close"));
  CHECK_FALSE(panel.robot().shows("status.shapes"));
  panel.robot().rest(9);
  panel.robot().frames(2);
  CHECK_FALSE(panel.robot().shows("message"));
  CHECK(panel.robot().shows("status.shapes"));
  state.message = {"There is no file.", true, 0};
  panel.robot().frames(2);
  CHECK(panel.robot().shows("message.close"));
}
