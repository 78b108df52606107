// The derivation of the selected cell as a card while a lesson is read. It has one place, which the window's
// size decides, and covers nothing.
//
// Probe names: "card", "card.close", and those of the inspector.
#pragma once

#include <optional>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct WorkbenchState;

struct DerivationCardState {
  std::optional<Rect> shown;  // where the card was drawn in this frame
};

// The height in which the whole derivation is in sight, as far as a card shows it; 0: no cell is selected.
float card_height(const UiContext& ui, const WorkbenchState& state);

// Draws the card at `place`. Nothing without a selected cell or without height.
void derivation_card(UiContext& ui, WorkbenchState& state, const Rect& place);

// The link that starts the walk through the query's steps, with its right end at `right`. Returns its width.
float walk_link(UiContext& ui, WorkbenchState& state, float right, float y);
// The link that plays the motion of the derivation, with its right end at `right`; nothing, and a width of 0,
// where there is none to play.
float play_link(UiContext& ui, WorkbenchState& state, float right, float y);

}  // namespace headlight
