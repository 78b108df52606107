// Dropout drawn on and on: how many draws are in the mean that is shown. View state, never undone.
#pragma once

#include <optional>

#include "app/ui/context/ui_context.h"

namespace headlight {

// The mean of so many draws has converged as far as four decimals show it; playing stops there.
inline constexpr Index kMostDraws = 10'000;

struct DropoutPlay {
  bool playing = false;
  Index draws = 0;          // wished for; 0: the mean is not shown
  double next_seconds = 0;  // on ImGui's clock: when to go on; 0: when the mean has been seen
  // What the draws belong to: other settings start them anew.
  Dropout dropout;
  Index tokens = 0, heads = 0;
};

// One at a time at first, then in larger steps, so that converging can be watched to its end.
Index next_draws(Index draws);

// Once a frame while `dropped` is drawn large. `arrived`: how many draws are in the answer to the wish for
// play.draws, once it is on screen. Where tokens are many they may be fewer: the rest is asked for in later
// steps.
void go_on_playing(UiContext& ui, DropoutPlay& play, std::optional<Index> arrived);

}  // namespace headlight
