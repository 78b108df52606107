// The controls in the header of the large picture that depend on the stage.
#include <string_view>
#include <utility>

#include "app/ui/picture/heads_together.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/head_sorting.h"
#include "app/ui/views/stage_parts.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kOrderWidth = 164, kBriefOrderWidth = 124, kToolGap = 8;  // planned pixels

const char* play_label(const DropoutPlay& play) {
  return play.playing ? "Pause" : "Many draws";
}

// "by number", then all measures in the order of the enumeration.
std::vector<Choice> order_choices(const UiContext& ui) {
  std::vector<Choice> choices = {{"number", "by number", "Heads in the order of their numbers"}};
  for (const HeadMeasureInfo& info : head_measure_table()) {
    const bool like = info.measure == HeadMeasure::LikePicture;
    choices.push_back({std::string(info.name),
                       "by " + (like && ui.view.heads.sorting.by == info.measure
                                    ? "likeness"
                                    : std::string(like ? "likeness…" : info.label)),
                       std::string(info.what)});
  }
  return choices;
}

void table_button(UiContext& ui, StagesPanelState& state) {
  if (tool_button(ui, "focus.heads_table", "Table", ui.action_tip("heads_table"))) state.table_asked = true;
}

void order_tools(UiContext& ui, StagesPanelState& state, bool brief) {
  const HeadSorting sorting = ui.view.heads.sorting;
  const std::size_t current = sorting.by ? static_cast<std::size_t>(*sorting.by) + 1 : 0;
  const auto chosen = choice_box(
      ui, "focus.order", order_choices(ui), current, ui.theme.px(brief ? kBriefOrderWidth : kOrderWidth),
      sorting.by == HeadMeasure::LikePicture ? "Which head stands first: " + picture_text(ui)
                                             : "Which head stands first");
  if (chosen) {
    sort_heads_by(ui.view,
                  *chosen == 0 ? std::nullopt : std::optional(head_measure_table()[*chosen - 1].measure));
    // The table of heads is where the picture to compare with is chosen.
    if (ui.view.heads.sorting.by == HeadMeasure::LikePicture) state.table_asked = true;
  }
  if (sorting.by) {
    ImGui::SameLine(0, ui.theme.px(kToolGap));
    if (tool_button(ui, "focus.order.direction", sorting.ascending ? "↑" : "↓",
                    sorting.ascending ? "The smallest comes first; turn round"
                                      : "The largest comes first; turn round"))
      ui.view.heads.sorting.ascending = !sorting.ascending;
  }
  if (brief) return;
  ImGui::SameLine(0, ui.theme.px(kToolGap));
  table_button(ui, state);
}

float order_tools_width(const UiContext& ui, bool brief) {
  const float gap = ui.theme.px(kToolGap), direction = ui.view.heads.sorting.by ? button_width("↓") + gap : 0;
  if (brief) return ui.theme.px(kBriefOrderWidth) + direction;
  return ui.theme.px(kOrderWidth) + direction + gap + button_width("Table");
}

bool has_order(const UiContext& ui, Stage stage) {
  return stage == Stage::Weights && ui.layer().head_count() > 1 && !ui.view.head &&
         !shows_heads_together(ui, stage);
}

bool has_parts(const UiContext& ui, Stage stage) {
  return stage == Stage::Output && ui.layer().head_count() > 1;
}

void play_draws(UiContext& ui, DropoutPlay& play) {
  const bool active = ui.layer().attention.dropout.active();
  if (tool_button(ui, "focus.play", play_label(play),
                  "Draw on and on, and show the mean of all draws: it comes back to the weights without "
                  "dropout, which is what 1/(1−p) is for",
                  active, play.playing)) {
    play.playing = !play.playing;
    if (play.draws >= kMostDraws) play.draws = 0;
  }
}

void draw_again(UiContext& ui) {
  const bool active = ui.layer().attention.dropout.active();
  if (!tool_button(ui, "focus.draw_again", "Draw again", "Draw the dropout anew with the next seed", active))
    return;
  AttentionSettings settings = ui.layer().attention;
  settings.dropout.seed = settings.dropout.seed.value_or(0) + 1;
  ui.send(SetAttention{settings});
}

void dropout_tools(UiContext& ui, DropoutPlay& play) {
  play_draws(ui, play);
  ImGui::SameLine(0, ui.theme.px(kToolGap));
  draw_again(ui);
}

// A lesson names it beside other stages too: there its tooltip says that it shows another picture.
void paint_switch(UiContext& ui, Stage stage) {
  const std::string tip =
      "While on, click or drag over the cells: the first one decides whether the stroke forbids or allows. "
      "One "
      "stroke is one undo step";
  const bool here = stage == Stage::Masked;
  if (tool_button(ui, "focus.paint", "Paint",
                  (here ? "" : "Shows the masked scores, where the mask is painted. ") + tip, true,
                  here && ui.view.picture.paints_mask)) {
    ui.view.picture.paints_mask = !here || !ui.view.picture.paints_mask;
    ui.view.focused_stage = Stage::Masked;
  }
}

// The controls of this stage's heatmaps.
float heatmap_tools_width(const UiContext& ui, Stage stage, bool brief) {
  if (stage == Stage::Masked) return button_width("Paint");
  if (stage == Stage::Dropped)
    return button_width("Many draws") + ui.theme.px(kToolGap) + button_width("Draw again");
  if (has_parts(ui, stage)) return button_width("By head");
  return has_order(ui, stage) ? order_tools_width(ui, brief) : 0;
}

float own_tools_width(const UiContext& ui, Stage stage, bool brief) {
  return ui.view.focus_view == FocusView::Heatmap ? heatmap_tools_width(ui, stage, brief) : 0;
}

// The switch for gradients is there while there is a goal.
bool has_switch(const UiContext& ui) {
  return ui.document.session().goal && !ui.view.model.work;
}

constexpr const char *kByValue = "× |v|",
                     *kByValueTip =
                         "Each weight times the length of what its key's value adds to the output: how much "
                         "is moved, not only where is looked";

// Flow shows weights or dropped weights, and row all stages, the weights among them.
bool offers_by_value(const UiContext& ui, Stage stage) {
  const FocusView view = ui.view.focus_view;
  const bool weights = view == FocusView::Row || (view == FocusView::Flow && stage != Stage::Dropped);
  return can_weigh_by_value(ui, weights ? Stage::Weights : stage);
}

void turn_by_value(UiContext& ui) {
  ui.view.picture.by_value = !ui.view.picture.by_value;
  ui.view.picture.without_first = false;
}

void by_value_switch(UiContext& ui) {
  if (tool_button(ui, "focus.by_value", kByValue, kByValueTip, true, ui.view.picture.by_value))
    turn_by_value(ui);
}

void gradients_switch(UiContext& ui) {
  if (tool_button(ui, "focus.gradients", "∂", ui.action_tip("gradients"), true, ui.view.learning.gradients))
    ui.view.learning.gradients = !ui.view.learning.gradients;
}

bool shows_heatmaps(const UiContext& ui) {
  return ui.view.focus_view == FocusView::Heatmap || ui.view.focus_view == FocusView::Compare;
}

// With the switches for lengths of values and for gradients, and the button of the colours.
float with_colors(const UiContext& ui, bool by_value, float own) {
  const float gap = ui.theme.px(kToolGap);
  return own + (own > 0 ? gap : 0) + (by_value ? button_width(kByValue) + gap : 0) +
         (has_switch(ui) ? button_width("∂") + gap : 0) + color_button_width(ui);
}

float with_menu(const UiContext& ui, float own) {
  return own + (own > 0 ? ui.theme.px(kToolGap) : 0) + more_menu_width();
}

void own_tools(UiContext& ui, StagesPanelState& state, Stage stage, bool brief) {
  if (stage == Stage::Masked) {
    paint_switch(ui, stage);
  } else if (stage == Stage::Dropped) {
    dropout_tools(ui, state.play);
  } else if (has_parts(ui, stage)) {
    if (tool_button(
            ui, "focus.by_head", "By head",
            "What each head adds to the output: its columns of Z times the rows of W_o that they meet", true,
            state.by_head))
      state.by_head = !state.by_head;
  } else {
    order_tools(ui, state, brief);
  }
}

// A control of the header that a lesson may name.
struct NamedTool {
  const char *name, *label;
  bool (*possible)(const UiContext&, Stage);
  void (*draw)(UiContext&, StagesPanelState&, Stage);
};
constexpr NamedTool kNamedTools[] = {
    {"focus.heads_table", "Table", [](const UiContext& ui, Stage) { return ui.layer().head_count() > 1; },
     [](UiContext& ui, StagesPanelState& state, Stage) { table_button(ui, state); }},
    {"focus.paint", "Paint",
     [](const UiContext& ui, Stage stage) {
       return stage == Stage::Masked || ui.view.offered.names("focus.paint");
     },
     [](UiContext& ui, StagesPanelState&, Stage stage) { paint_switch(ui, stage); }},
    {"focus.play", "Many draws", [](const UiContext&, Stage stage) { return stage == Stage::Dropped; },
     [](UiContext& ui, StagesPanelState& state, Stage) { play_draws(ui, state.play); }},
    {"focus.draw_again", "Draw again", [](const UiContext&, Stage stage) { return stage == Stage::Dropped; },
     [](UiContext& ui, StagesPanelState&, Stage) { draw_again(ui); }},
    {"focus.gradients", "∂", [](const UiContext& ui, Stage) { return has_switch(ui); },
     [](UiContext& ui, StagesPanelState&, Stage) { gradients_switch(ui); }}};

bool is_named(const UiContext& ui, const NamedTool& tool, Stage stage) {
  return shows_heatmaps(ui) && ui.view.offered.names(tool.name) && tool.possible(ui, stage);
}

}  // namespace

bool folds_tools(const UiContext& ui) {
  return ui.view.model.pages_beside;
}

void by_value_entry(UiContext& ui, Stage stage) {
  if (offers_by_value(ui, stage) &&
      menu_choice(ui, "focus.by_value", "Weigh by the values: " + std::string(kByValue), kByValueTip,
                  ui.view.picture.by_value))
    turn_by_value(ui);
}

bool shows_by_head(const UiContext& ui, const StagesPanelState& state, Stage stage) {
  return state.by_head && has_parts(ui, stage);
}

float focus_tools_width(const UiContext& ui, Stage stage, bool brief) {
  if (folds_tools(ui)) return with_menu(ui, own_tools_width(ui, stage, brief));
  if (!shows_heatmaps(ui)) return offers_by_value(ui, stage) ? button_width(kByValue) : 0;
  return with_colors(ui, offers_by_value(ui, stage), own_tools_width(ui, stage, brief));
}

float least_focus_tools_width(const UiContext& ui, Stage stage) {
  if (folds_tools(ui)) return with_menu(ui, heatmap_tools_width(ui, stage, true));
  return with_colors(ui, stage == Stage::Weights, heatmap_tools_width(ui, stage, true));
}

void focus_tools(UiContext& ui, StagesPanelState& state, Stage stage, bool brief) {
  const bool folds = folds_tools(ui);
  if (!shows_heatmaps(ui) && !folds) return by_value_switch(ui);
  if (own_tools_width(ui, stage, brief) > 0) {
    own_tools(ui, state, stage, brief);
    ImGui::SameLine(0, ui.theme.px(kToolGap));
  }
  if (folds) return focus_menu(ui, state, stage);
  if (offers_by_value(ui, stage)) {
    by_value_switch(ui);
    ImGui::SameLine(0, ui.theme.px(kToolGap));
  }
  if (has_switch(ui)) {
    gradients_switch(ui);
    ImGui::SameLine(0, ui.theme.px(kToolGap));
  }
  color_button(ui, state.colors, stage);
}

float named_tools_width(const UiContext& ui, Stage stage) {
  float width = 0;
  for (const NamedTool& tool : kNamedTools)
    if (is_named(ui, tool, stage))
      width += (width > 0 ? ui.theme.px(kToolGap) : 0) + button_width(tool.label);
  return width;
}

void named_tools(UiContext& ui, StagesPanelState& state, Stage stage) {
  bool first = true;
  for (const NamedTool& tool : kNamedTools) {
    if (!is_named(ui, tool, stage)) continue;
    if (!std::exchange(first, false)) ImGui::SameLine(0, ui.theme.px(kToolGap));
    tool.draw(ui, state, stage);
  }
}

void listed_tools(UiContext& ui, StagesPanelState& state, Stage stage) {
  if (shows_heatmaps(ui)) {
    for (const NamedTool& tool : kNamedTools)
      if (!is_named(ui, tool, stage) && tool.possible(ui, stage)) tool.draw(ui, state, stage);
    const bool own = own_tools_width(ui, stage, false) > 0;
    if (own && stage != Stage::Masked && stage != Stage::Dropped) own_tools(ui, state, stage, false);
  }
  if (offers_by_value(ui, stage)) by_value_switch(ui);
}

}  // namespace headlight
