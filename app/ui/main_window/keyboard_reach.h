// The keys' way from place to place: from the embeddings to the weights to the large picture, and from cell
// to cell there.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// The keys go to the grid of embeddings, then to that of weights, then to the large picture, and round again.
void go_to_next_place(UiContext& ui, WorkbenchState& state);

// No grid and no text has the keys.
bool picture_has_keys(const UiContext& ui);

// While no grid and no text has the keys: arrows, Home and End move the selected cell of the chosen stage,
// Page Up and Page Down choose the stage before and the next one, with Shift the head.
void picture_keys(UiContext& ui);

}  // namespace headlight
