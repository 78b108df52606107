// The choice of heads in the header of the large picture, and the menu of what is seldom used there.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/ui/context/shown_heads.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/picture/heads_together.h"
#include "app/ui/views/compare_view.h"
#include "app/ui/views/stage_parts.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kHeadChoiceWidth = 108, kBriefHeadChoiceWidth = 72;  // planned pixels

struct HeadChoices {
  std::vector<Choice> list;  // "all heads", perhaps "mean" and "max", then the heads
  std::size_t first = 0;     // the first head
};

HeadChoices head_choices(const UiContext& ui, Stage stage, bool brief) {
  const Index count = stage_heads(ui.layer(), stage);
  std::vector<Choice> choices = {{"all", brief ? "all" : "all heads", "every head, side by side"}};
  // A flow that shows some heads is not labelled "all heads".
  if (ui.view.focus_view == FocusView::Flow && flow_picks_heads(ui.layer()) &&
      !ui.view.picture.flow_heads.empty())
    choices.front().label = std::to_string(ui.view.picture.flow_heads.size()) + (brief ? "/" : " of ") +
                            std::to_string(ui.layer().head_count());
  const bool of_one = ui.view.focus_view == FocusView::Row ||
                      (ui.view.heads.one_large && (ui.view.focus_view == FocusView::Heatmap ||
                                                   ui.view.focus_view == FocusView::Compare));
  if (of_one)
    choices.front().label = (brief ? "" : "head ") +
                            ui.counting().number(stage_head(ui.layer(), stage, ui.shown_head())) + "/" +
                            std::to_string(count);
  if (can_pool_heads(ui, stage)) {
    choices.push_back({"mean", "mean", "one picture: each cell's mean over all heads"});
    choices.push_back({"max", "max", "one picture: each cell's largest number of all heads"});
  }
  const std::size_t first = choices.size();
  for (Index head = 0; head < count; ++head) {
    const Counting counting = ui.counting();
    choices.push_back({std::to_string(head), brief ? counting.number(head) : head_name(head, counting), ""});
  }
  return {std::move(choices), first};
}

std::size_t current_choice(const UiContext& ui, Stage stage, const HeadChoices& choices) {
  const std::size_t pooled = can_pool_heads(ui, stage) ? static_cast<std::size_t>(ui.view.heads.pool) : 0;
  const std::size_t now = ui.view.head ? static_cast<std::size_t>(*ui.view.head) + choices.first : pooled;
  return std::min(now, choices.list.size() - 1);
}

void choose_heads(UiContext& ui, std::size_t chosen, std::size_t first) {
  ui.view.head.reset();
  ui.view.heads.pool = HeadPool::Each;
  if (chosen >= first)
    ui.view.head = static_cast<Index>(chosen - first);
  else
    ui.view.heads.pool = static_cast<HeadPool>(chosen);
}

bool begin_submenu(const UiContext& ui, const char* name, const char* label) {
  const bool open = ImGui::BeginMenu(label);
  ui.probe.mark(name);
  return open;
}

void layer_entries(UiContext& ui) {
  LayersView& layers = ui.view.layers;
  if (layers.count < 2 || !begin_submenu(ui, "focus.menu.layers", "Layer")) return;
  const std::vector<LayerPlace> places = layer_places(ui.view.model.work->network->config());
  for (std::size_t i = 0; i < std::min(layers.names.size(), places.size()); ++i)
    if (menu_choice(ui, "stages.layer." + layers.names[i], names_of_layers(ui).text(places[i]), "",
                    i == layers.at))
      layers.asked = i;
  ImGui::EndMenu();
}

void head_entries(UiContext& ui, Stage stage) {
  if (stage_heads(ui.layer(), stage) < 2 || !begin_submenu(ui, "focus.menu.heads", "Head")) return;
  const HeadChoices choices = head_choices(ui, stage, false);
  const std::size_t current = current_choice(ui, stage, choices);
  for (std::size_t i = 0; i < choices.list.size(); ++i)
    if (menu_choice(ui, "stages.heads." + choices.list[i].id, choices.list[i].label, choices.list[i].tooltip,
                    i == current))
      choose_heads(ui, i, choices.first);
  ImGui::EndMenu();
}

void compare_entry(UiContext& ui) {
  if (menu_choice(ui, "focus.compare", "Compare with a kept state", ui.action_tip("view_compare"),
                  ui.view.focus_view == FocusView::Compare))
    ui.view.focus_view = FocusView::Compare;
}

// Of a whole model: what its map of all heads chooses too, and what belongs to the chosen one.
void model_entries(UiContext& ui, Stage stage) {
  layer_entries(ui);
  head_entries(ui, stage);
  ImGui::Separator();
  by_value_entry(ui, stage);
  compare_entry(ui);
}

// Of a lesson: what few of its readers need.
void lesson_entries(UiContext& ui, StagesPanelState& state, Stage stage) {
  view_entries(ui);
  if (ui.view.focus_view == FocusView::Compare && ui.view.baseline.layer) compare_entries(ui);
  if (ui.view.focus_view == FocusView::Model) return;
  head_choice(ui, stage, false);
  listed_tools(ui, state, stage);
}

void room_entries(UiContext& ui, StagesPanelState& state, Stage stage) {
  const bool opened = ui.view.opened_stage.has_value();
  if (menu_choice(ui, opened ? "focus.close" : "focus.open", "Full size", ui.action_tip("full_size"), opened))
    ui.view.opened_stage = opened ? std::nullopt : std::optional<Stage>(stage);
  if (menu_choice(ui, "focus.export", "Export…", export_tip(ui, state, stage)))
    ui.actions.push_back({Action::ExportStage, {}, stage});
  if (menu_choice(ui, "focus.add_to_report", "Add to report", ui.action_tip("add_to_report")))
    ui.actions.push_back({Action::AddToReport, {}, stage});
}

}  // namespace

void head_choice(UiContext& ui, Stage stage, bool brief) {
  if (stage_heads(ui.layer(), stage) < 2) return;
  const HeadChoices choices = head_choices(ui, stage, brief);
  const auto chosen = choice_box(ui, "stages.heads", choices.list, current_choice(ui, stage, choices),
                                 head_choice_width(ui, brief), "Which heads the pictures show");
  if (chosen) choose_heads(ui, *chosen, choices.first);
}

float head_choice_width(const UiContext& ui, bool brief) {
  return ui.theme.px(brief ? kBriefHeadChoiceWidth : kHeadChoiceWidth);
}

std::string export_tip(const UiContext& ui, const StagesPanelState& state, Stage stage) {
  if (ui.view.focus_view == FocusView::Vectors)
    return "Save the heatmap of this stage (Ctrl+E): this view has no file of its own";
  if (shows_by_head(ui, state, stage))
    return "Save the output (Ctrl+E): its parts by head have no file of their own";
  return ui.action_tip("export");
}

void focus_menu(UiContext& ui, StagesPanelState& state, Stage stage) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool model = folds_tools(ui);
  const char* const tip = model ? "Another layer or head, colours, weighing by the values, motion, full size"
                                : "Other views, heads, colours, full size, export";
  if (begin_more_menu(ui, "focus.more", tip, model && ui.view.picture.by_value)) {
    model ? model_entries(ui, stage) : lesson_entries(ui, state, stage);
    ImGui::Separator();
    if (menu_choice(ui, "focus.colours", "Colours…", ui.action_tip("colours"))) state.colors.asked = true;
    if (model &&
        menu_choice(ui, "focus.menu.play", "Play", ui.action_tip("play"), state.motion.shown(), can_play(ui)))
      state.motion.shown() ? end_motion(state.motion) : begin_motion(ui, state.motion);
    room_entries(ui, state, stage);
    ImGui::EndPopup();
  }
  color_popover(ui, state.colors, stage, {at.x, at.y, more_menu_width(), ImGui::GetFrameHeight()});
}

}  // namespace headlight
