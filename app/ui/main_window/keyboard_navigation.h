// Keyboard navigation between the embeddings, the weights and the large picture, and between its cells.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// Cycles the keyboard focus: the grid of embeddings, the grid of weights, the large picture.
void go_to_next_place(UiContext& ui, WorkbenchState& state);

// Whether no grid, text field or other item has the keyboard.
bool picture_has_keys(const UiContext& ui);

// Handles keys if picture_has_keys: arrows, Home and End move the selected cell of the chosen stage, Page Up
// and Page Down choose the previous and the next stage, with Shift the head.
void picture_keys(UiContext& ui);

}  // namespace headlight
