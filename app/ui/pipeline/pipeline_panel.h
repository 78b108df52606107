// The pipeline strip above the panels: the layer as one diagram, whose nodes are live pictures and whose
// settings stand above what they act on. If it does not fit, the same diagram of small nodes with names, and
// if that does not fit, a list of the stages.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/mask_painter.h"
#include "app/ui/pipeline/moving_strip.h"
#include "app/ui/pipeline/pipeline_plan.h"
#include "app/ui/pipeline/settings_bar.h"
#include "app/ui/pipeline/strip_content.h"

namespace headlight {

// The animation that follows an edit along the lines, through the stages whose values have changed.
struct PipelineRun {
  std::array<std::uint64_t, kStageCount>
      versions{};  // tile versions of the stages on screen; 0: not yet shown
  std::array<bool, kStageCount> reached{};
  std::uint64_t revision = 0;
  double began = -1;  // start time on ImGui's clock; -1: never
};

// Usual: as large as the window allows. Line: one line of words, and below it the settings that a text names.
enum class StripForm { Usual, Line };

struct PipelinePanelState {
  PipelineRun run;
  SettingsBarState settings, named;  // named: by the text of a lesson
  HeatmapCache cache;
  MaskPainter painter;          // required by draw_heads; small pictures are not painted on
  StripContent content;         // of this frame
  StripAsked asked;             // by the user, and what was in use since the session was opened
  std::uint64_t opening = 0;    // of the document for which `asked` was collected
  std::optional<Stage> chosen;  // the stage drawn large in the last frame
  MovingStrip motion;
  float left_px = 0;      // of the panel in the last frame
  double height = 0;      // planned pixels, set by dragging; 0: the default height
  bool dragged = false;   // the lower edge is being dragged
  float edge_px = 0;      // position of the lower edge
  float names_px = 0;     // height of the diagram of names in the last frame
  float settings_px = 0;  // height of the settings below the names when they were last shown there
  bool folded = false;    // the settings are behind a button
  StripForm form = StripForm::Usual;  // while its height is not dragged
  bool unfolded = false;              // asked for: the diagram, where it is a line else
  bool foldable = false;              // has a button that unfolds it and folds it again
  bool toggled = false;               // that button was pressed, or its key; reset by who draws the panel
  bool low = false;                   // the window is too low for pictures
  std::vector<PipelineNode> nodes;    // of the last frame, in screen coordinates
};

// Whether the settings do not fit below the names, in a window of this height, so that a button opens them.
bool folds_settings(const UiContext& ui, const PipelinePanelState& state, float window);

// The height of a strip of the width size.x in a window of the height size.y; collects what it shows. Call it
// once a frame, before pipeline_panel. While a stage is open at full size, the strip is its diagram of names.
float pipeline_height(UiContext& ui, PipelinePanelState& state, ImVec2 size);

// The height in planned pixels that puts the lower edge of the strip at `edge_px`.
double dragged_height(const UiContext& ui, const PipelinePanelState& state, float edge_px);

// Draws a panel of size `size` at `at`. Probe names: stages "stage.<name>", their pictures
// "stage.<name>.h<head>", matrices "strip.<name>", the button that switches an idle stage on
// "strip.<stage>.on", the button that adds a step "strip.add", the button that opens the settings
// "strip.settings", the list of stages "strip.stage", the button that unfolds a line and folds a diagram
// "strip.fold".
void pipeline_panel(UiContext& ui, PipelinePanelState& state, ImVec2 at, ImVec2 size);

}  // namespace headlight
