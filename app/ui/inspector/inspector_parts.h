// Internals of the inspector: shared helpers and its parts.
#pragma once

#include <string>

#include <imgui.h>

#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight::inspector {

void text_at(ImFont* font, ImVec2 at, Color color, const std::string& text);
// The text ends at `right`.
void text_at_right(ImFont* font, float right, float y, Color color, const std::string& text);
// A label at the left, elided if necessary, and a number at the right.
void draw_labelled(const UiContext& ui, ImVec2 at, ImVec2 size, Color color, const std::string& label,
                   const std::string& number);
void draw_rule(const UiContext& ui);

// Highlights the number's source while the last item is hovered; a click selects the cell, or moves the
// grid's cursor there.
void offer_source(UiContext& ui, InspectorState& state, const NumberSource& source, bool pressed);
void select_shown(UiContext& ui, const CellAddress& cell);

// Draws the steps of the cell and the bars of its row into the remaining region; below them, if there is
// space, the weights that the last change moved most.
void draw_derivation(UiContext& ui, InspectorState& state, const CellTrace& trace);
// Draws derived steps of the cell. row: of a stage of pairs, with the cell's column marked; null: none.
void draw_steps(UiContext& ui, InspectorState& state, const Derivation& derived, const CellAddress& cell,
                const RowSummary* row);

// In place of a value its gradient, with the chain rule that leads to it. Probed as "inspector.gradient".
void draw_gradient(UiContext& ui, InspectorState& state, const CellAddress& cell);
void draw_input_gradient(UiContext& ui, InspectorState& state, const InputCell& cell);
RowRequest row_request(const CellAddress& cell);

// The lines of PyTorch of each step, while they are shown; the switch that shows them; the link that copies
// the whole program.
void add_code(UiContext& ui, InspectorState& state, Derivation& derived, Stage last);
float code_height(const UiContext& ui, const std::string& code, float width);
void draw_code(const UiContext& ui, const std::string& name, const std::string& code, ImVec2 at, float width);
float code_switch_width(const UiContext& ui);
void code_switch(UiContext& ui, InspectorState& state, ImVec2 at, float height);
void copy_switch(UiContext& ui, Stage stage);
float row_bars_height(const UiContext& ui, const RowSummary& row);
void draw_row_bars(const UiContext& ui, const RowSummary& row, Index column, ImVec2 at, float width);

// Requests all weights in each frame, to compare them before and after a change.
void follow_change(UiContext& ui, InspectorState& state);
void draw_highlights(UiContext& ui, InspectorState& state);
// The weights that the last change moved most, as far as they fit.
void draw_changes(UiContext& ui, InspectorState& state);

}  // namespace headlight::inspector
