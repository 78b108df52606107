// The left panel: everything a person may edit as numbers. Tokens with their embeddings above, weights below.
#pragma once

#include "app/ui/inputs/token_list.h"
#include "app/ui/inputs/token_names.h"
#include "app/ui/inputs/weights_tabs.h"

namespace headlight {

struct InputsPanelState {
  TokenListState tokens;
  TokenNamesState names;  // where there are no embeddings
  WeightsTabsState weights;
  TextFieldState d_in, sequence;
  bool text_asked = false;                // for the dialog that makes tokens from a sentence
  std::optional<Index> awaited_sequence;  // asked for in the last frame: shown as soon as it is there
  float embeddings_share = 0.55f;         // of the height that both grids have, when they must share it
  float fixed_height_px = 0;              // of everything but the two grids, as last drawn
  bool brief = false;                     // without the layout in words, for want of room
};

// Draws into the whole region that is left in the current window.
void inputs_panel(UiContext& ui, InputsPanelState& state);

// How two grids share `room`: each gets what it needs while both fit; else `share` of the room goes to the
// first, what one does not need goes to the other, and neither gets less than `least` (or what it needs).
struct SharedHeights {
  float first = 0, second = 0;
  bool tight = false;  // not both fit
};
SharedHeights share_heights(float room, float first_needs, float second_needs, float share, float least);

}  // namespace headlight
