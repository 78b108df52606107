// What the parts of the inspector share, and the parts themselves.
#pragma once

#include <string>

#include <imgui.h>

#include "app/ui/inspector/inspector_panel.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight::inspector {

void text_at(ImFont* font, ImVec2 at, Color color, const std::string& text);
// Its right end is at `right`.
void text_at_right(ImFont* font, float right, float y, Color color, const std::string& text);
// A label at the left, shortened where it must be, and a number at the right.
void draw_labelled(const UiContext& ui, ImVec2 at, ImVec2 size, Color color, const std::string& label,
                   const std::string& number);
void draw_rule(const UiContext& ui);

// Lights the number's other places while the pointer is on the last item, and goes there on a click: selects
// the cell, or brings the grid's cursor.
void offer_source(UiContext& ui, InspectorState& state, const NumberSource& source, bool pressed);
void select_shown(UiContext& ui, const CellAddress& cell);

// The steps of the cell and the bars of its row, into the region that is left; below them, where there is
// room, what the last change moved most.
void draw_derivation(UiContext& ui, InspectorState& state, const CellTrace& trace);
RowRequest row_request(const CellAddress& cell);

// The lines of PyTorch of each step, while they are shown; the switch that shows them; the link that copies a
// whole program.
void add_code(UiContext& ui, InspectorState& state, Derivation& derived, Stage last);
float code_height(const UiContext& ui, const std::string& code, float width);
void draw_code(const UiContext& ui, const std::string& name, const std::string& code, ImVec2 at, float width);
float code_switch_width(const UiContext& ui);
void code_switch(UiContext& ui, InspectorState& state, ImVec2 at, float height);
void copy_switch(UiContext& ui, Stage stage);
float row_bars_height(const UiContext& ui, const RowSummary& row);
void draw_row_bars(const UiContext& ui, const RowSummary& row, Index column, ImVec2 at, float width);

// Asks for the weights that the last change is seen by, whether it is shown or not.
void follow_change(UiContext& ui, InspectorState& state);
void draw_worth(UiContext& ui, InspectorState& state);
// What the last change moved most, as far as there is room left.
// What the first few of them take; 0 while there are none.
float changes_height(const UiContext& ui, const InspectorState& state);
void draw_changes(UiContext& ui, InspectorState& state);

}  // namespace headlight::inspector
