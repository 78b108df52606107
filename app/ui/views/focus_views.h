// The views of the chosen stage at large beside its heatmaps. Private to the stages panel.
#pragma once

#include "app/ui/stages/stage_parts.h"

namespace headlight {

// A row of small pictures to click, one for each view: "view.heatmap", "view.row", ...
float view_switch_width(const UiContext& ui);
void view_switch(UiContext& ui);

// The head that a view of one head shows: the one that is chosen, else that of the selected cell.
Index view_head(const UiContext& ui);
// The query that a view of one query shows: that of the selected cell, else the first.
Index view_query(const UiContext& ui);

void draw_flow_view(UiContext& ui, StagesPanelState& state, const Area& area);
void draw_row_view(UiContext& ui, StagesPanelState& state, const Area& area);
void draw_vectors_view(UiContext& ui, StagesPanelState& state, const Area& area);

}  // namespace headlight
