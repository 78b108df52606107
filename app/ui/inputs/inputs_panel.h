// The left panel with the editable numbers: tokens with their embeddings above, weights below.
#pragma once

#include <optional>

#include "app/ui/inputs/token_list.h"
#include "app/ui/inputs/token_names.h"
#include "app/ui/inputs/weights_tabs.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

// The two sections: tokens with their embeddings, and weights.
struct InputFolds {
  LessonFold tokens, weights;
  bool all_folded() const { return tokens.folded() && weights.folded(); }
};

struct InputsPanelState {
  InputFolds folds;
  TokenListState tokens;
  TokenNamesState names;  // used if there are no embeddings
  WeightsTabsState weights;
  TextFieldState d_in, sequence;
  bool text_asked = false;                // opens the dialog that makes tokens from a sentence
  std::optional<Index> awaited_sequence;  // the sequence added in the last frame: shown as soon as it exists
  float embeddings_share = 0.55f;         // share of the first grid when both must share the height
  float fixed_height_px = 0;              // height of everything but the two grids, as last drawn
  bool brief = false;                     // no description of the layout, for lack of height
  float whole_px = 0;                     // as fixed_height_px, with that description
};

// The height in which nothing scrolls: of the line of names while both sections are folded.
float inputs_height(const UiContext& ui, const InputsPanelState& state);

// Draws into the available region of the current window. Probe names: "inputs.fold.tokens" and
// "inputs.fold.weights" while sections can be folded; their values are "open" or "".
void inputs_panel(UiContext& ui, InputsPanelState& state);

// Divides `room` between two grids: each gets what it needs if both fit; otherwise `share` of the room goes
// to the first, height that one does not need goes to the other, and neither gets less than `least` (or its
// need, if that is less).
struct SharedHeights {
  float first = 0, second = 0;
  bool tight = false;  // the grids do not both fit
};
SharedHeights share_heights(float room, float first_needs, float second_needs, float share, float least);

}  // namespace headlight
