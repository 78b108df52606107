// The strip above the large picture, as the workbench puts them, in a panel of their own.
#pragma once

#include "app/ui/main_window/workbench.h"
#include "tests/ui/support/panel_fixture.h"

namespace headlight_test {

// Draws into the region that is left.
void centre_panel(headlight::UiContext& ui, headlight::WorkbenchState& state);

// The centre with a session opened in it, drawn often enough that its pictures are there.
struct CentrePanel {
  headlight::WorkbenchState state;
  PanelFixture fixture;

  explicit CentrePanel(headlight::Session session, ImVec2 size = {1240, 680});

  PanelRobot& robot() { return fixture.robot(); }
  headlight::Rect rect(const std::string& widget) { return robot().widget(widget).rect; }
};

}  // namespace headlight_test
