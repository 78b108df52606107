// The derivation of the selected cell as a card beside the picture, while a lesson has the right column. A
// line leads from it to its cell. It can be moved by its title, which also pins it: it then stays there for
// every cell.
//
// Probe names: "card", "card.title" (to drag), "card.pin" ("pinned" or ""), "card.close", and those of the
// inspector.
#pragma once

#include <optional>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct WorkbenchState;

struct DerivationCardState {
  std::optional<CellAddress> cell;  // that `place` was planned for
  std::optional<Rect> place;        // in window pixels
  bool pinned = false;
  std::optional<Rect> shown;  // where the card was drawn in this frame
};

// Draws the card, if there is a selected cell and room. picture: the panel of the picture. Call after the
// picture and the lesson have been drawn.
void derivation_card(UiContext& ui, WorkbenchState& state, const Rect& picture);

// The link that starts the walk through the query's steps, with its right end at `right`. Returns its width.
float walk_link(UiContext& ui, WorkbenchState& state, float right, float y);

}  // namespace headlight
