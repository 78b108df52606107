#include "app/ui/learning/learning_parts.h"

#include <vector>

#include "app/figure/plan/names.h"
#include "app/ui/picture/goal_picture.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr float kGoalGap = 8, kGoalWidth = 172, kHeadsWidth = 104, kNumberWidth = 64;  // planned pixels

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

void choose_goal(UiContext& ui, LearningPanelState& state, Flow& flow) {
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
  flow.control(ui.theme.px(kGoalWidth), ui.theme.px(kGoalGap));
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

void choose_head(UiContext& ui, LearningPanelState& state, Flow& flow) {
  const Index heads = ui.layer().head_count();
  if (state.head && *state.head >= heads) state.head.reset();
  if (heads < 2) return;
  flow.control(ui.theme.px(kHeadsWidth), ui.theme.px(kGoalGap));
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
                  const std::string& what, Flow& flow) {
  flow.control(button_width(label), ui.theme.px(4));
  const bool on = ui.view.learning.brush == brush;
  if (!tool_button(ui, "learning.brush." + id, label, what, true, on)) return;
  ui.view.learning.brush = on ? std::nullopt : std::optional(brush);
  if (!on) ui.view.focus_view = FocusView::Heatmap;
}

void weight_brushes(UiContext& ui, Flow& flow) {
  const auto before = ui.view.learning.brush;
  for (const BrushInfo& info : kBrushes)
    brush_button(ui, info.brush, info.id, info.label, info.what, flow);
  if (ui.view.learning.brush && ui.view.learning.brush != before) ui.view.focused_stage = Stage::Weights;
}

std::string refuse_number(const std::string& text) {
  return parse_number(text).message;
}

// The brushes for a stage of numbers: one that wants what stands in the field, and one that wants nothing.
void number_brushes(UiContext& ui, TextFieldState& field, Flow& flow) {
  const std::string stage(stage_info(ui.view.focused_stage).name);
  flow.control(ui.theme.px(kNumberWidth), ui.theme.px(4));
  if (const auto typed =
          text_field(ui, field, "learning.number", plain_number(double{ui.view.learning.brush_number}),
                     ui.theme.px(kNumberWidth), "What is wanted of a cell", refuse_number))
    ui.view.learning.brush_number = *parse_number(*typed).value;
  brush_button(ui, GoalBrush::AttendHere, "number", "Want this number",
               "Click or drag over cells of " + stage +
                   ": they shall have the number in the field. One "
                   "stroke is one undo step",
               flow);
  brush_button(ui, GoalBrush::DoNotCare, "free", "Do not care", "Nothing is wanted of the cell", flow);
}

}  // namespace

void goal_controls(UiContext& ui, LearningPanelState& state, Flow& flow) {
  choose_goal(ui, state, flow);
  choose_head(ui, state, flow);
  brush_controls(ui, state, flow);
}

void brush_controls(UiContext& ui, LearningPanelState& state, Flow& flow) {
  if (wants_numbers(ui.view.focused_stage))
    number_brushes(ui, state.number, flow);
  else
    weight_brushes(ui, flow);
}

LossText loss_text(const UiContext& ui, const LearningPanelState& state) {
  const auto& goal = ui.document.session().goal;
  const GradientsResult* const known = ui.answer ? ui.answer->gradients.get() : nullptr;
  LossText text;
  text.trouble = !state.trouble.empty() ? state.trouble : known ? known->refusal : "";
  text.failed = !text.trouble.empty();
  if (text.failed) return text;
  if (!goal || !known) {
    text.trouble = "Choose what each token should attend to, or paint it on the weights.";
    return text;
  }
  const double loss = known->gradients.loss;
  text.value = "loss " + number_text(static_cast<float>(loss), 4);
  text.exact = exact_number_text(static_cast<float>(loss));
  if (goal->loss != Loss::CrossEntropy) return text;
  const double share = share_reached(ui.layer(), *goal, loss);
  text.reached = "reached " + number_text(static_cast<float>(100 * share), share < 0.1 ? 1 : 0) + " %";
  return text;
}

void loss_trouble(UiContext& ui, const LossText& loss, ImVec2 at, float width) {
  ImFont* const font = ui.theme.fonts.text;
  fitted_text(font, at, width, loss.failed ? ui.theme.error : ui.theme.quiet_text, loss.trouble);
  if (loss.failed) ui.probe.mark_rect("learning.trouble", {at.x, at.y, width, font_size(font)}, loss.trouble);
}

void mark_loss(UiContext& ui, const LossText& loss, const Area& place) {
  ImGui::SetCursorScreenPos(place.at);
  ImGui::Dummy(place.size);
  ui.probe.mark("learning.loss", loss.exact);
  tooltip(ui,
          ui.document.session().goal->loss == Loss::CrossEntropy
              ? "Cross entropy: the mean of −ln of the weight on what is wanted. Reached: what weight that "
                "is, as a geometric mean over the rows with a wish"
              : "The mean of the squares of what each number is off");
}

void training_state(UiContext& ui, const TrainingControlsState& training, const std::string& words, ImVec2 at,
                    float width) {
  const TrainingReport* const report = training.run.report();
  const bool stopped = report && (report->divergence.has_value() || !report->failure.empty());
  ImFont* const font = ui.theme.fonts.label;
  fitted_text(font, at, width, stopped ? ui.theme.error : ui.theme.quiet_text, words);
  ui.probe.mark_rect("learning.state", {at.x, at.y, width, font_size(font)}, words);
}

}  // namespace headlight
