// What the large picture of a stage has in its header beside what all have.
#include "app/ui/kit/text_fit.h"
#include "app/ui/kit/widgets.h"
#include "app/ui/stages/stage_parts.h"

namespace headlight {
namespace {

constexpr float kOrderWidth = 124, kToolGap = 8;  // planned pixels

const char* play_label(const DropoutPlay& play) {
  return play.playing ? "Pause" : "Play";
}

void order_choice(UiContext& ui) {
  static const std::vector<Choice> kOrders = {
      {"number", "by number", "Heads in the order of their numbers"},
      {"entropy", "by entropy", "The head that spreads its weights most comes first"},
      {"distance", "by distance", "The head that looks farthest away comes first"},
      {"first_token", "by first token", "The head with most weight on the first token comes first"}};
  const auto chosen = choice_box(ui, "focus.order", kOrders, static_cast<std::size_t>(ui.view.head_order),
                                 ui.theme.px(kOrderWidth), "Which head stands first");
  if (chosen) ui.view.head_order = static_cast<HeadOrder>(*chosen);
}

bool has_order(const UiContext& ui, Stage stage) {
  return stage == Stage::Weights && ui.model().head_count() > 1 && !ui.view.head;
}

bool has_parts(const UiContext& ui, Stage stage) {
  return stage == Stage::Output && ui.model().head_count() > 1;
}

void dropout_tools(UiContext& ui, DropoutPlay& play) {
  const bool active = ui.model().attention.dropout.active();
  if (tool_button(ui, "focus.play", play_label(play),
                  "Draw on and on, and show the mean of all draws: it comes back to the weights without "
                  "dropout, which is what 1/(1−p) is for",
                  active, play.playing)) {
    play.playing = !play.playing;
    if (play.draws >= kMostDraws) play.draws = 0;
  }
  ImGui::SameLine(0, ui.theme.px(kToolGap));
  if (!tool_button(ui, "focus.draw_again", "Draw again", "Draw the dropout anew with the next seed", active))
    return;
  AttentionSettings settings = ui.model().attention;
  settings.dropout.seed = settings.dropout.seed.value_or(0) + 1;
  ui.send(SetAttention{settings});
}

// What only this stage has, and only as heatmaps.
float own_tools_width(const UiContext& ui, Stage stage) {
  if (ui.view.focus_view != FocusView::Heatmap) return 0;
  if (stage == Stage::Masked) return button_width("Paint");
  if (stage == Stage::Dropped)
    return button_width("Pause") + ui.theme.px(kToolGap) + button_width("Draw again");
  if (has_parts(ui, stage)) return button_width("By head");
  return has_order(ui, stage) ? ui.theme.px(kOrderWidth) : 0;
}

void own_tools(UiContext& ui, StagesPanelState& state, Stage stage) {
  if (stage == Stage::Masked) {
    if (tool_button(
            ui, "focus.paint", "Paint",
            "While on, click or drag over the cells: the first one decides whether the stroke forbids "
            "or allows. One stroke is one undo step",
            true, ui.view.paints_mask))
      ui.view.paints_mask = !ui.view.paints_mask;
  } else if (stage == Stage::Dropped) {
    dropout_tools(ui, state.play);
  } else if (has_parts(ui, stage)) {
    if (tool_button(
            ui, "focus.by_head", "By head",
            "What each head adds to the output: its columns of Z times the rows of W_o that they meet", true,
            state.by_head))
      state.by_head = !state.by_head;
  } else {
    order_choice(ui);
  }
}

}  // namespace

bool shows_by_head(const UiContext& ui, const StagesPanelState& state, Stage stage) {
  return state.by_head && has_parts(ui, stage);
}

float focus_tools_width(const UiContext& ui, Stage stage) {
  const float own = own_tools_width(ui, stage);
  return own + (own > 0 ? ui.theme.px(kToolGap) : 0) + color_button_width(ui);
}

void focus_tools(UiContext& ui, StagesPanelState& state, Stage stage) {
  if (own_tools_width(ui, stage) > 0) {
    own_tools(ui, state, stage);
    ImGui::SameLine(0, ui.theme.px(kToolGap));
  }
  color_button(ui, state.colors, stage);
}

}  // namespace headlight
