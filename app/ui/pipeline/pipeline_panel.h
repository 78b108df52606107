// The pipeline strip above the panels: the layer as one diagram, whose nodes are live pictures and whose
// settings are placed where they act. If it does not fit, a line of the stages' names.
#pragma once

#include <array>
#include <vector>

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/mask_painter.h"
#include "app/ui/pipeline/pipeline_plan.h"
#include "app/ui/pipeline/settings_bar.h"

namespace headlight {

// The animation that follows an edit along the lines, through the stages whose values have changed.
struct PipelineRun {
  std::array<std::uint64_t, kStageCount>
      versions{};  // tile versions of the stages on screen; 0: not yet shown
  std::array<bool, kStageCount> reached{};
  std::uint64_t revision = 0;
  double began = -1;  // start time on ImGui's clock; -1: never
};

struct PipelinePanelState {
  PipelineRun run;
  SettingsBarState settings;
  HeatmapCache cache;
  MaskPainter painter;              // required by draw_heads; small pictures are not painted on
  double height = 0;                // planned pixels, set by dragging; 0: the default height
  bool dragged = false;             // the lower edge is being dragged
  float edge_px = 0;                // position of the lower edge
  float names_px = 0;               // height of the line of names in the last frame
  float settings_px = 0;            // height of the settings below the names when they were last shown there
  std::vector<PipelineNode> nodes;  // of the last frame, in screen coordinates
};

// Whether the settings do not fit below the names, so that a button opens them.
bool folds_settings(const UiContext& ui, const PipelinePanelState& state, ImVec2 window);

// The height of the strip in a window of this size. While a stage is open at full size, the strip is its line
// of names.
float pipeline_height(UiContext& ui, PipelinePanelState& state, ImVec2 window);

// Draws a panel of size `size` at `at`. Probe names: stages "stage.<name>", their pictures
// "stage.<name>.h<head>", matrices "strip.<name>", the button that switches an idle stage on
// "strip.<stage>.on", the button that opens the settings "strip.settings".
void pipeline_panel(UiContext& ui, PipelinePanelState& state, ImVec2 at, ImVec2 size);

}  // namespace headlight
