// The right side: how the cell under the pointer, or the selected one, came about, with the real numbers.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// Draws into the region that is left.
void inspector_panel(UiContext& ui);

// "weights[journey, one]", "queries[journey, 2] · head 1": a cell as the inspector names it.
std::string cell_title(const Model& model, const CellAddress& cell, Counting counting);

}  // namespace headlight
