#include "app/ui/views/dropout_play.h"

#include <algorithm>

#include <imgui.h>

namespace headlight {
namespace {

constexpr double kStepSeconds = 0.06;

}  // namespace

Index next_draws(Index draws) {
  return std::min(kMostDraws, draws + std::max<Index>(1, draws / 4));
}

void continue_playing(UiContext& ui, DropoutPlay& play, std::optional<Index> arrived) {
  const Layer& layer = ui.layer();
  const bool same = play.dropout == layer.attention.dropout && play.tokens == layer.token_count() &&
                    play.heads == layer.head_count();
  if (arrived && *arrived > 0 && *arrived < play.draws) play.draws = *arrived;
  if (!same) {
    play.draws = 0;
    play.next_seconds = 0;
    play.dropout = layer.attention.dropout;
    play.tokens = layer.token_count();
    play.heads = layer.head_count();
  }
  if (!layer.attention.dropout.active() || play.draws >= kMostDraws) play.playing = false;
  if (!play.playing) return;
  // The step is timed from when a mean is shown, not from when it was requested: even with slow frames each
  // mean is on screen for one step, and the window can sleep in between.
  const double now = ImGui::GetTime();
  if (arrived && play.next_seconds == 0) {
    play.next_seconds = now + kStepSeconds;
  } else if (play.draws == 0 || (arrived && now >= play.next_seconds)) {
    play.draws = next_draws(play.draws);
    play.next_seconds = 0;
  }
  ui.wake_within(kStepSeconds);
}

}  // namespace headlight
