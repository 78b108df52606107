#include "app/ui/learning/learning_card.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/learning/learning_parts.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kCardGap = 8, kCardCurve = 72, kMenuWidth = 320;  // planned pixels

// What the lesson does not name: the goal, its brushes, and how a step is made.
void more_settings(UiContext& ui, LearningPanelState& state) {
  Flow flow(ui, ui.theme.px(kMenuWidth));
  goal_controls(ui, state, flow);
  training_settings(ui, state.training, flow);
  const ImVec2 at = ImGui::GetWindowPos();
  ImGui::SetCursorScreenPos({at.x + ImGui::GetStyle().WindowPadding.x, flow.bottom()});
  ImGui::Dummy({ui.theme.px(kMenuWidth), 0});
}

void more_button(UiContext& ui, LearningPanelState& state, Flow& flow) {
  flow.to_end(more_menu_width());
  flow.control(more_menu_width(), 0);
  if (!begin_more_menu(ui, "learning.more", "The goal, its brushes, how a step is made, what may move"))
    return;
  more_settings(ui, state);
  ImGui::EndPopup();
}

float controls(UiContext& ui, LearningPanelState& state, ImVec2 at, float width) {
  ImGui::SetCursorScreenPos(at);
  Flow flow(ui, width);
  run_buttons(ui, state.training, flow);
  more_button(ui, state, flow);
  if (ui.view.offered.names("learning.brush.want")) goal_controls(ui, state, flow);
  if (ui.view.offered.names("learning.rate")) choose_rate(ui, state.training, flow);
  return flow.height();
}

// The loss in large type, how much of the goal is reached beside it, and below what the training does.
float loss_lines(UiContext& ui, const LearningPanelState& state, ImVec2 at, float width) {
  const LossText loss = loss_text(ui, state);
  ImFont *const large = ui.theme.fonts.title, *const small = ui.theme.fonts.label;
  if (loss.value.empty()) {
    loss_trouble(ui, loss, at, width);
  } else {
    const float end = std::min(width, text_width(large, loss.value));
    fitted_text(large, at, width, ui.theme.text, loss.value);
    mark_loss(ui, loss, {at, {end, font_size(large)}});
    const float x = at.x + end + ui.theme.px(12), y = at.y + (font_size(large) - font_size(small)) * 0.7f;
    if (width > end + ui.theme.px(12))
      fitted_text(small, {x, std::floor(y)}, at.x + width - x, ui.theme.quiet_text, loss.reached);
  }
  const float below = at.y + font_size(large) + ui.theme.px(4);
  const std::string words =
      state.training.waits ? "first your guess, or skip the question" : training_words(ui, state.training);
  if (!words.empty()) training_state(ui, state.training, words, {at.x, below}, width);
  return below + font_size(small);
}

// Without the controls.
float below_controls(const UiContext& ui) {
  return font_size(ui.theme.fonts.title) + font_size(ui.theme.fonts.label) +
         ui.theme.px(4 + kCardCurve + 2 * kCardGap);
}

}  // namespace

float learning_card_height(const UiContext& ui, const LearningPanelState& state) {
  if (!state.shown || ui.view.model.work) return 0;
  const float known = state.controls_px > 0 ? state.controls_px : ImGui::GetFrameHeight();
  return std::ceil(known + below_controls(ui));
}

float most_learning_card_height(const UiContext& ui, const LearningPanelState& state) {
  if (!state.shown || ui.view.model.work) return 0;
  const int goal = ui.layer().head_count() > 1 ? 3 : 2;  // lines of the goal, its head, the brushes
  const OfferedControls& offered = ui.view.offered;
  const int lines =
      1 + (offered.names("learning.brush.want") ? goal : 0) + (offered.names("learning.rate") ? 1 : 0);
  return std::ceil(static_cast<float>(lines) * (ImGui::GetFrameHeight() + ui.theme.px(6)) +
                   below_controls(ui));
}

void learning_card(UiContext& ui, LearningPanelState& state, const Area& area) {
  ui.probe.mark_rect("learning.area", {area.at.x, area.at.y, area.size.x, area.size.y});
  const float high = controls(ui, state, area.at, area.size.x);
  float y = area.at.y + high + ui.theme.px(kCardGap);
  y = loss_lines(ui, state, {area.at.x, y}, area.size.x) + ui.theme.px(kCardGap);
  loss_curve(ui, state.training, {{area.at.x, y}, {area.size.x, std::max(1.0f, area.end().y - y)}});
  // The height was planned for the controls of the frame before.
  if (std::exchange(state.controls_px, high) != high) ui.wake_within(0.001);
}

}  // namespace headlight
