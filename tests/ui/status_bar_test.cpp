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
