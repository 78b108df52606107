#include "app/ui/learning/learning_panel.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/names.h"
#include "app/ui/picture/goal_picture.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kPad = 12, kGap = 8, kGoalWidth = 172, kHeadsWidth = 104, kCurve = 96, kLeastCurve = 0,
                kLeastDrawnCurve = 16,
                kNumberWidth = 64;  // planned pixels

struct BrushInfo {
  GoalBrush brush;
  const char *id, *label, *what;
};
constexpr BrushInfo kBrushes[] = {
    {GoalBrush::AttendHere, "want", "Attend here",
     "Click or drag over cells of the weights: the query shall attend to these keys. One stroke is one undo "
     "step"},
    {GoalBrush::NotHere, "not", "Not here",
     "The query shall not attend to this key; if nothing was wanted of it before, to all others alike"},
    {GoalBrush::DoNotCare, "free", "Do not care", "Nothing is wanted of the query"}};

void choose_goal(UiContext& ui, LearningPanelState& state) {
  const std::vector<GoalOffer> offers = goal_offers(ui);
  std::vector<Choice> choices;
  choices.reserve(offers.size());
  for (const GoalOffer& offer : offers)
    choices.push_back({offer.id, offer.label, offer.what});
  const std::string& name = state.name.of(ui);
  std::size_t current = 0;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i].label == name) current = i;
  if (choices[current].label != name) choices.front().label = name;  // painted, or of another stage
  const auto chosen = choice_box(ui, "learning.goal", choices, current, ui.theme.px(kGoalWidth),
                                 "What the weights should be. Paint it on the picture with the brushes");
  if (!chosen) return;
  state.trouble.clear();
  try {
    ui.send(SetGoal{offered_goal(ui, offers[*chosen], state.head)});
  } catch (const Error& error) {
    state.trouble = error.what();
  }
}

void choose_head(UiContext& ui, LearningPanelState& state) {
  const Index heads = ui.model().head_count();
  if (state.head && *state.head >= heads) state.head.reset();
  if (heads < 2) return;
  ImGui::SameLine(0, ui.theme.px(kGap));
  std::vector<Choice> choices = {{"all", "all heads", "The next goal that is chosen is for every head"}};
  for (Index head = 0; head < heads; ++head)
    choices.push_back({std::to_string(head), head_name(head, ui.counting()), ""});
  const auto chosen =
      choice_box(ui, "learning.heads", choices, state.head ? static_cast<std::size_t>(*state.head) + 1 : 0,
                 ui.theme.px(kHeadsWidth), "Which heads the goal is for");
  if (!chosen) return;
  state.head = *chosen == 0 ? std::nullopt : std::optional<Index>(static_cast<Index>(*chosen) - 1);
}

void brush_button(UiContext& ui, GoalBrush brush, const std::string& id, const char* label,
                  const std::string& what, float gap) {
  ImGui::SameLine(0, ui.theme.px(gap));
  const bool on = ui.view.goal_brush == brush;
  if (!tool_button(ui, "learning.brush." + id, label, what, true, on)) return;
  ui.view.goal_brush = on ? std::nullopt : std::optional(brush);
  if (!on) ui.view.focus_view = FocusView::Heatmap;
}

void weight_brushes(UiContext& ui) {
  const auto before = ui.view.goal_brush;
  for (const BrushInfo& info : kBrushes)
    brush_button(ui, info.brush, info.id, info.label, info.what,
                 info.brush == GoalBrush::AttendHere ? 2 * kGap : 4);
  if (ui.view.goal_brush && ui.view.goal_brush != before) ui.view.focused_stage = Stage::Weights;
}

std::string refuse_number(const std::string& text) {
  return parse_number(text).message;
}

// The brushes for a stage of numbers: one that wants what stands in the field, and one that wants nothing.
void number_brushes(UiContext& ui, TextFieldState& field) {
  const std::string stage(stage_info(ui.view.focused_stage).name);
  ImGui::SameLine(0, ui.theme.px(2 * kGap));
  if (const auto typed = text_field(ui, field, "learning.number", plain_number(double{ui.view.goal_number}),
                                    ui.theme.px(kNumberWidth), "What is wanted of a cell", refuse_number))
    ui.view.goal_number = *parse_number(*typed).value;
  brush_button(ui, GoalBrush::AttendHere, "number", "Want this number",
               "Click or drag over cells of " + stage +
                   ": they shall have the number in the field. One "
                   "stroke is one undo step",
               4);
  brush_button(ui, GoalBrush::DoNotCare, "free", "Do not care", "Nothing is wanted of the cell", 4);
}

void brushes(UiContext& ui, LearningPanelState& state) {
  if (wants_numbers(ui.view.focused_stage))
    number_brushes(ui, state.number);
  else
    weight_brushes(ui);
}

// "loss 1.7918  ·  reached 17 %".
void loss_line(UiContext& ui, const LearningPanelState& state, ImVec2 at, float width) {
  const auto& goal = ui.document.session().goal;
  const GradientsResult* const known = ui.answer ? ui.answer->gradients.get() : nullptr;
  ImFont* const font = ui.theme.fonts.text;
  if (!state.trouble.empty() || (known && !known->refusal.empty())) {
    const std::string& text = state.trouble.empty() ? known->refusal : state.trouble;
    fitted_text(font, at, width, ui.theme.error, text);
    return ui.probe.mark_rect("learning.trouble", {at.x, at.y, width, font_size(font)}, text);
  }
  if (!goal || !known) {
    fitted_text(font, at, width, ui.theme.quiet_text,
                "Choose what each token should attend to, or paint it on the weights.");
    return;
  }
  const double loss = known->gradients.loss;
  std::string text = "loss " + number_text(static_cast<float>(loss), 4);
  if (const std::string words = training_words(ui, state.training); !words.empty()) {
    const float room = width * 0.62f, right = std::min(room, text_width(ui.theme.fonts.label, words));
    const bool stopped =
        state.training.run.report()->divergence.has_value() || !state.training.run.report()->failure.empty();
    fitted_text(ui.theme.fonts.label, {at.x + width - right, at.y + ui.theme.px(1)}, right,
                stopped ? ui.theme.error : ui.theme.quiet_text, words);
    ui.probe.mark_rect("learning.state", {at.x + width - right, at.y, right, font_size(font)}, words);
    width -= right + ui.theme.px(kGap);
  }
  if (goal->loss == Loss::CrossEntropy) {
    const double share = share_reached(ui.model(), *goal, loss);
    text += "   ·   reached " + number_text(static_cast<float>(100 * share), share < 0.1 ? 1 : 0) + " %";
  }
  fitted_text(font, at, width, ui.theme.text, text);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({std::min(width, text_width(font, text)), font_size(font)});
  ui.probe.mark("learning.loss", exact_number_text(static_cast<float>(loss)));
  tooltip(ui,
          goal->loss == Loss::CrossEntropy
              ? "Cross entropy: the mean of −ln of the weight on what is wanted. Reached: what weight that "
                "is, as a geometric mean over the rows with a wish"
              : "The mean of the squares of what each number is off");
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

float learning_height(const UiContext& ui, const LearningPanelState& state, float available,
                      float least_picture) {
  if (!state.shown || ui.view.model.work) return 0;
  constexpr float kMost = 0.6f, kMostOfLow = 0.4f;  // of the room for both
  const float most = std::floor(std::min(kMost * available, available - least_picture));
  if (most >= whole_height(ui, kLeastCurve)) return std::min(most, whole_height(ui));
  const float low = low_height(ui);
  return low < kMostOfLow * available ? low : 0;
}

float whole_learning_height(const UiContext& ui, const LearningPanelState& state) {
  return state.shown && !ui.view.model.work ? whole_height(ui) : 0;
}

void follow_learning(UiContext& ui, LearningPanelState& state) {
  state.training.run.follow(ui);
  ui.view.learns = state.training.run.playing();
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
    choose_goal(ui, state);
    choose_head(ui, state);
    brushes(ui, state);
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
    ui.view.gradients = !ui.view.gradients;
    return;
  }
  state.shown = true;
  state.trouble = "Gradients are those of a goal: choose one first.";
}

}  // namespace headlight
