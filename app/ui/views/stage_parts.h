// Parts of the stages panel, private to it.
#pragma once

#include "app/ui/views/stages_panel.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// Whether `output` is shown as the contribution of each head.
bool shows_by_head(const UiContext& ui, const StagesPanelState& state, Stage stage);

// The chosen stage drawn large, with its header. `opened`: it fills the whole panel.
void draw_focus(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened);

// Whether what is seldom used of the header is behind its "…": beside the pages of a whole model, whose map
// of all heads chooses the head.
bool folds_tools(const UiContext& ui);
// The button "…", "focus.more", with its menu: of a model its layers, heads and weighing by values, of a
// lesson the other views and tools; of both colours, full size and export.
void focus_menu(UiContext& ui, StagesPanelState& state, Stage stage);
void by_value_entry(UiContext& ui, Stage stage);
// The choice of heads as a list: "all heads", "mean", "head 3". `brief`: in a narrow header.
void head_choice(UiContext& ui, Stage stage, bool brief);
float head_choice_width(const UiContext& ui, bool brief);
std::string export_tip(const UiContext& ui, const StagesPanelState& state, Stage stage);

// The header controls for the pictures of a stage: of heatmaps, painting for `masked`, drawing for `dropped`,
// the order of the heads for `weights`, and the colours for all stages; of flow and row the switch for
// lengths of values; or the menu with these. Drawn on one line at the cursor. `brief`: a narrower order of
// the heads, without the button of their table, which the palette opens too.
float focus_tools_width(const UiContext& ui, Stage stage, bool brief);
void focus_tools(UiContext& ui, StagesPanelState& state, Stage stage, bool brief);
// The header controls that the text of a lesson names, on one line at the cursor. 0: none.
float named_tools_width(const UiContext& ui, Stage stage);
void named_tools(UiContext& ui, StagesPanelState& state, Stage stage);
// The header controls but the colours, below each other, for a menu.
void listed_tools(UiContext& ui, StagesPanelState& state, Stage stage);
// The width of the brief controls, as for heatmaps, whatever view is shown.
float least_focus_tools_width(const UiContext& ui, Stage stage);

}  // namespace headlight
