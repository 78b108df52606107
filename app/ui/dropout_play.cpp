#include "app/ui/dropout_play.h"

#include <algorithm>

#include <imgui.h>

namespace headlight {
namespace {

constexpr double kStepSeconds = 0.06;

}  // namespace

Index next_draws(Index draws) {
  return std::min(kMostDraws, draws + std::max<Index>(1, draws / 8));
}

void go_on_playing(UiContext& ui, DropoutPlay& play, bool arrived) {
  const Model& model = ui.model();
  const bool same = play.dropout == model.attention.dropout && play.tokens == model.token_count() &&
                    play.heads == model.head_count();
  if (!same) {
    play.draws = 0;
    play.dropout = model.attention.dropout;
    play.tokens = model.token_count();
    play.heads = model.head_count();
  }
  if (!model.attention.dropout.active() || play.draws >= kMostDraws) play.playing = false;
  if (!play.playing) return;
  const double now = ImGui::GetTime();
  if (now >= play.next_seconds && (arrived || play.draws == 0)) {
    play.draws = next_draws(play.draws);
    play.next_seconds = now + kStepSeconds;
  }
  double& wake = ui.view.wake_seconds;
  wake = wake > 0 ? std::min(wake, kStepSeconds) : kStepSeconds;
}

}  // namespace headlight
