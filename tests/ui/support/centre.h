// The centre of the workbench as a separate panel: the strip above the large picture.
#pragma once

#include "app/ui/main_window/workbench.h"
#include "tests/ui/support/panel_fixture.h"

namespace headlight_test {

// Draws into the remaining content region.
void centre_panel(headlight::UiContext& ui, headlight::WorkbenchState& state);

// The centre with an open session, after enough frames that its pictures are drawn.
struct CentrePanel {
  headlight::WorkbenchState state;
  PanelFixture fixture;

  explicit CentrePanel(headlight::Session session, ImVec2 size = {1240, 800});

  PanelRobot& robot() { return fixture.robot(); }
  headlight::Rect rect(const std::string& widget) { return robot().widget(widget).rect; }
};

}  // namespace headlight_test
