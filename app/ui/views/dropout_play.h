// Repeated dropout draws: the number of draws in the displayed mean. View state, never undone.
#pragma once

#include <optional>

#include "app/ui/context/ui_context.h"

namespace headlight {

// The mean of this many draws has converged to the four decimals shown; playing stops there.
inline constexpr Index kMostDraws = 10'000;

struct DropoutPlay {
  bool playing = false;
  Index draws = 0;          // requested number of draws; 0: the mean is not shown
  double next_seconds = 0;  // ImGui time of the next step; 0: not before the mean has been shown
  // The settings of the draws: if they change, the draws restart.
  Dropout dropout;
  Index tokens = 0, heads = 0;
};

// The next number of draws: one more at first, then larger steps, so that the convergence can be watched to
// its end.
Index next_draws(Index draws);

// Call once a frame while `dropped` is drawn large. `arrived`: the number of draws in the result for
// play.draws, once it is on screen; nullopt before. With many tokens the engine may return fewer draws than
// requested: the remaining ones are requested in later steps.
void continue_playing(UiContext& ui, DropoutPlay& play, std::optional<Index> arrived);

}  // namespace headlight
