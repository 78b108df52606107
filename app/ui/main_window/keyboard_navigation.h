// Keyboard navigation between the parts of the window, and between the cells of the large picture.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// The keyboard goes on to the next part of the window that is in sight, or back: the bar, the sentence, the
// strip, the embeddings, the weights, the large picture, the text. In a lesson's text it is at *Next*.
void go_to_next_place(UiContext& ui, WorkbenchState& state);
void go_to_place_before(UiContext& ui, WorkbenchState& state);

// Whether no grid, text field or other item has the keyboard.
bool picture_has_keys(const UiContext& ui);

// Handles keys if picture_has_keys: arrows, Home and End move the selected cell of the chosen stage, Page Up
// and Page Down choose the previous and the next stage, with Shift the head. `pages`: whether these two keys
// are the picture's; while presenting they are those of the steps.
void picture_keys(UiContext& ui, bool pages);

}  // namespace headlight
