// What the cards, the large picture and the grid of heads share. Private to the stages panel.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/stages/stages_panel.h"

namespace headlight {

struct Area {
  ImVec2 at, size;
  ImVec2 end() const { return {at.x + size.x, at.y + size.y}; }
};

void draw_card_frame(const UiContext& ui, const Area& area, bool chosen);

// Text at a place of its own, with an ellipsis rather than a cut at the card's edge.
void fitted_text(ImFont* font, ImVec2 at, float width, Color color, const std::string& text);

// The heads of a stage that are shown, in the order of their numbers.
std::vector<Index> shown_heads(const UiContext& ui, Stage stage);

// All shown heads of a stage in a grid that makes them as large as the area allows. Returns whether one of
// them was double-clicked.
bool draw_heads(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area,
                const std::string& prefix, bool large);

// What the marks in the pictures of a stage mean, at the foot of the area when that is high enough: only
// marks that occur. Returns the height that it takes. Probed as "focus.legend.masked" and so on.
float legend_below(UiContext& ui, Stage stage, const Area& area);

// Width by height of one picture of a stage with cells as wide as they are high, within reason.
float picture_aspect(const Model& model, Stage stage);

// Whether the session's stages do not fit the memory: what needs all their cells is not to be had.
bool is_mapped(const UiContext& ui);

// Dropout at large: for each shown head the weights before, the noise, the weights after, and the mean of
// many draws once it is asked for. Probed as "focus.dropped.h0", ".before", ".noise" and ".mean" behind it.
void draw_dropout(UiContext& ui, StagesPanelState& state, const Area& area);

// `output` at large as what each head adds to it, beside their sum. Probed as "focus.output.h0" and
// "focus.output.part<head>".
bool shows_by_head(const UiContext& ui, const StagesPanelState& state, Stage stage);
void draw_by_head(UiContext& ui, StagesPanelState& state, const Area& area);

void draw_card(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area);

// The chosen stage at large, with its header. `opened`: it has the whole panel.
void draw_focus(UiContext& ui, StagesPanelState& state, Stage stage, const Area& area, bool opened);

// What the heatmaps of a stage have in their header: painting for `masked`, drawing for `dropped`, the order
// of the heads for `weights`, and the colours of all. Drawn on one line from the cursor on.
float focus_tools_width(const UiContext& ui, Stage stage);
void focus_tools(UiContext& ui, StagesPanelState& state, Stage stage);

// Where the pipeline has no room: one stage at a time, chosen from a list.
void small_stages(UiContext& ui, StagesPanelState& state, const Area& area);

}  // namespace headlight
