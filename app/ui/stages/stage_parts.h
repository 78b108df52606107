// Parts of the large picture. Private to the stages panel.
#pragma once

#include "app/ui/kit/area.h"
#include "app/ui/stages/stages_panel.h"

namespace headlight {

// Whether `output` is shown as what each head adds to it.
bool shows_by_head(const UiContext& ui, const StagesPanelState& state, Stage stage);

// The chosen stage at large, with its header. `opened`: it has the whole panel.
void draw_focus(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened);

// What the heatmaps of a stage have in their header: painting for `masked`, drawing for `dropped`, the order
// of the heads for `weights`, and the colours of all. Drawn on one line from the cursor on.
float focus_tools_width(const UiContext& ui, Stage stage);
void focus_tools(UiContext& ui, StagesPanelState& state, Stage stage);

}  // namespace headlight
