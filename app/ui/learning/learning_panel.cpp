#include "app/ui/learning/learning_panel.h"

#include <algorithm>
#include <cmath>

#include "app/ui/learning/learning_parts.h"
#include "app/ui/widgets/area.h"

namespace headlight {
namespace {

constexpr float kPad = 12, kGap = 8, kCurve = 96, kLeastCurve = 0,
                kLeastDrawnCurve = 16;  // planned pixels
constexpr float kOneLine = 1e6f;        // what has no room is cut off

// "loss 1.7918  ·  reached 17 %".
void loss_line(UiContext& ui, const LearningPanelState& state, ImVec2 at, float width) {
  const LossText loss = loss_text(ui, state);
  ImFont* const font = ui.theme.fonts.text;
  if (loss.value.empty()) return loss_trouble(ui, loss, at, width);
  std::string text = loss.value;
  if (const std::string words = training_words(ui, state.training); !words.empty()) {
    const float room = width * 0.62f, right = std::min(room, text_width(ui.theme.fonts.label, words));
    training_state(ui, state.training, words, {at.x + width - right, at.y + ui.theme.px(1)}, right);
    width -= right + ui.theme.px(kGap);
  }
  if (!loss.reached.empty()) text += "   ·   " + loss.reached;
  fitted_text(font, at, width, ui.theme.text, text);
  mark_loss(ui, loss, {at, {std::min(width, text_width(font, text)), font_size(font)}});
}

// The controls of the training and the loss, with the gap above the panel.
float low_height(const UiContext& ui) {
  return std::ceil(ImGui::GetFrameHeight() + font_size(ui.theme.fonts.text) +
                   ui.theme.px(2 * kPad + 2 * kGap));
}

// With the choice of a goal above them and the curve below, which has `curve` planned pixels.
float whole_height(const UiContext& ui, float curve = kCurve) {
  return std::ceil(low_height(ui) + ImGui::GetFrameHeight() + ui.theme.px(curve + 2 * kGap));
}

}  // namespace

float learning_height(const UiContext& ui, const LearningPanelState& state, float available) {
  if (!state.shown || ui.view.model.work) return 0;
  constexpr float kMost = 0.6f, kMostOfLow = 0.4f;  // of the room for both
  const float most = std::floor(kMost * available);
  if (most >= whole_height(ui, kLeastCurve)) return std::min(most, whole_height(ui));
  const float low = low_height(ui);
  return low < kMostOfLow * available ? low : 0;
}

void follow_learning(UiContext& ui, LearningPanelState& state) {
  state.training.run.follow(ui);
  ui.view.learning.plays = state.training.run.playing();
}

void learning_panel(UiContext& ui, LearningPanelState& state, ImVec2 at, ImVec2 size) {
  draw_card_frame(ui, {at, size}, false);
  ui.probe.mark_rect("learning.area", {at.x, at.y, size.x, size.y});
  const float pad = ui.theme.px(kPad);
  const bool whole = size.y + ui.theme.px(kGap) + 1 >= whole_height(ui, kLeastCurve);
  const float line = ImGui::GetFrameHeight() + ui.theme.px(kGap), width = size.x - 2 * pad;
  float y = at.y + pad;
  if (whole) {
    ImGui::SetCursorScreenPos({at.x + pad, y});
    Flow flow(ui, kOneLine);
    goal_controls(ui, state, flow);
    y += line;
  }
  ImGui::SetCursorScreenPos({at.x + pad, y});
  training_controls(ui, state.training, width);
  y += line;
  loss_line(ui, state, {at.x + pad, y}, width);
  if (!whole) return;
  const float top = y + font_size(ui.theme.fonts.text) + ui.theme.px(kGap);
  const float room = at.y + size.y - pad - top;
  if (room >= ui.theme.px(kLeastDrawnCurve))
    loss_curve(ui, state.training, {{at.x + pad, top}, {width, room}});
}

void toggle_gradients(UiContext& ui, LearningPanelState& state) {
  if (ui.document.session().goal) {
    ui.view.learning.gradients = !ui.view.learning.gradients;
    return;
  }
  state.shown = true;
  state.trouble = "Gradients are those of a goal: choose one first.";
}

}  // namespace headlight
