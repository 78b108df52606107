// The strip above everything: the layer as one drawing, whose nodes are live pictures and whose settings
// stand where they act. Where there is no room for it, a line of the stages' names.
#pragma once

#include <array>
#include <vector>

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/mask_painter.h"
#include "app/ui/strip/settings_bar.h"
#include "app/ui/strip/strip_plan.h"

namespace headlight {

// An edit on its way along the lines, through the stages that it has reached.
struct StripRun {
  std::array<std::uint64_t, kStageCount> versions{};  // of the stages as they are shown; 0: not yet
  std::array<bool, kStageCount> reached{};
  std::uint64_t revision = 0;
  double began = -1;  // on ImGui's clock
};

struct StripPanelState {
  StripRun run;
  SettingsBarState settings;
  HeatmapCache cache;
  MaskPainter painter;           // nothing is painted on small pictures
  double height = 0;             // planned pixels that a person has dragged it to; 0: as it is laid out
  bool dragged = false;          // its lower edge is held
  float edge_px = 0;             // where that is
  float names_px = 0;            // height of the line of names in the last frame
  float settings_px = 0;         // height of the settings below the names, when they last stood there
  std::vector<StripNode> nodes;  // of the last frame, where they are on the screen
};

// Whether there is no room for the settings below the names: a button opens them.
bool folds_settings(const UiContext& ui, const StripPanelState& state, ImVec2 window);

// How high it is in a window of this width and height. What is opened to full size leaves it its names.
float strip_height(UiContext& ui, StripPanelState& state, ImVec2 window);

// Draws into a panel of that height at `at`. Stages are probed as "stage.<name>", their pictures as
// "stage.<name>.h<head>", matrices as "strip.<name>", what switches an idle step on as "strip.<stage>.on",
// what opens the settings "strip.settings".
void strip_panel(UiContext& ui, StripPanelState& state, ImVec2 at, ImVec2 size);

}  // namespace headlight
