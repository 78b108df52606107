// The question why a head gives a pair of tokens its score: *Score parts* on the page *Questions*
// (engine/analysis/score_parts.h), asked of a cell of the shown layer.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

// Whether the cell is of a pair of tokens, and a whole model is open.
bool has_score_question(const UiContext& ui, const CellAddress& cell);
// Why the score of the cell is no sum of parts here; "" if it is one. Precondition: has_score_question().
std::string why_no_score_parts(const UiContext& ui, const CellAddress& cell);
// Selects the cell and shows the page, which then asks for its layer, head, query and key; another selected
// cell is asked about in its place. Precondition: why_no_score_parts() is "".
void ask_score_parts(UiContext& ui, const CellAddress& cell);

// The same of the selected cell; "" and false without one.
std::string why_not_selected_score(const UiContext& ui);
bool can_ask_selected_score(const UiContext& ui);
void ask_selected_score(UiContext& ui);

}  // namespace headlight
