#include "app/ui/picture/map_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/platform/imgui_compat.h"
#include "app/ui/context/intervening.h"
#include "app/ui/context/score_question.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/widgets/widgets.h"
#include "engine/layer/overwriting.h"

namespace headlight {
namespace {

CellBlock& held_region(ViewState& view, Stage stage) {
  return view.picture.regions[static_cast<std::size_t>(stage_info(stage).columns)];
}

// The part of the stage that belongs to the selected cell; nullopt if it is of another head or sequence.
std::optional<LinkedCells> selected_in(const UiContext& ui, Stage stage) {
  const auto& selected = ui.view.selection.cell;
  if (!selected) return std::nullopt;
  const Index head = linked_head(ui.layer(), *selected, stage);
  return linked_cells(*selected, stage, ui.view.sequence, head, ui.layer());
}

double share_of(Index cell, Index begin, Index end) {
  if (cell < begin || cell >= end) return 0.5;
  return (static_cast<double>(cell - begin) + 0.5) / static_cast<double>(end - begin);
}

// The embeddings X can be overwritten by a patch as well.
bool is_overwritable(const Layer& layer, Stage stage) {
  return may_be_overwritten(layer, stage) || (stage == Stage::Embeddings && stage_exists(layer, stage));
}

// A whole model's layer of one text, whose numbers can be overwritten.
bool offers_overwriting(const UiContext& ui) {
  const auto& work = ui.view.model.work;
  return work && work->layer.side != Side::Cross && is_overwritable(ui.layer(), large_stage(ui.view));
}

bool offers_score(const UiContext& ui) {
  return ui.view.model.work && is_pair(large_stage(ui.view));
}

bool offers_always(const UiContext& /*ui*/) {
  return true;
}

// An entry of the menu: it is there if `offered`, and grey unless `possible`.
struct MapAction {
  const char* action;
  void (*run)(UiContext&);
  bool (*possible)(const UiContext&);
  bool (*offered)(const UiContext&) = offers_always;
  std::string (*why_not)(const UiContext&) = nullptr;
};

}  // namespace

Stage large_stage(const ViewState& view) {
  return view.opened_stage.value_or(view.focused_stage);
}

MapShape stage_shape(const Layer& layer, Stage stage) {
  return {stage_rows(layer, stage), stage_columns(layer, stage)};
}

CellBlock region_of(const ViewState& view, const Layer& layer, Stage stage) {
  const MapShape shape = stage_shape(layer, stage);
  return can_zoom(shape)
             ? fitted(view.picture.regions[static_cast<std::size_t>(stage_info(stage).columns)], shape)
             : whole_of(shape);
}

CellBlock region_of(const UiContext& ui, Stage stage) {
  return region_of(ui.view, ui.layer(), stage);
}

bool is_zoomed(const UiContext& ui, Stage stage) {
  return region_of(ui, stage) != whole_of(stage_shape(ui.layer(), stage));
}

void show_region(UiContext& ui, Stage stage, const CellBlock& region) {
  held_region(ui.view, stage) = region == whole_of(stage_shape(ui.layer(), stage)) ? CellBlock{} : region;
}

void zoom_by_steps(UiContext& ui, double steps) {
  const Stage stage = large_stage(ui.view);
  const CellBlock region = region_of(ui, stage);
  MapPlace place;
  if (const auto cell = selected_in(ui, stage))
    place = {share_of(cell->row, region.row, region.row_end),
             share_of(cell->column, region.column, region.column_end)};
  show_region(ui, stage, zoomed(region, stage_shape(ui.layer(), stage), std::pow(kZoomStep, steps), place));
}

void zoom_to_selection(UiContext& ui) {
  const Stage stage = large_stage(ui.view);
  const auto cell = selected_in(ui, stage);
  if (!cell) return;
  show_region(
      ui, stage,
      around(region_of(ui, stage), stage_shape(ui.layer(), stage), cell->row, cell->column, kSelectionCells));
}

void show_everything(UiContext& ui) {
  show_region(ui, large_stage(ui.view), {});
}

bool can_zoom_large(const UiContext& ui) {
  const bool heatmaps = ui.view.focus_view == FocusView::Heatmap || ui.view.focus_view == FocusView::Compare;
  return heatmaps && can_zoom(stage_shape(ui.layer(), large_stage(ui.view)));
}

bool can_zoom_to_selection(const UiContext& ui) {
  return can_zoom_large(ui) && selected_in(ui, large_stage(ui.view)).has_value();
}

bool is_large_zoomed(const UiContext& ui) {
  return can_zoom_large(ui) && is_zoomed(ui, large_stage(ui.view));
}

void ask_to_overwrite(UiContext& ui) {
  ui.view.model.overwrites = ui.view.selection.cell;
}

bool can_overwrite(const UiContext& ui) {
  return ui.view.model.work && ui.view.selection.cell &&
         is_overwritable(ui.layer(), ui.view.selection.cell->stage);
}

void follow_selection(UiContext& ui, std::optional<CellAddress>& followed) {
  if (ui.view.selection.cell == followed) return;
  followed = ui.view.selection.cell;
  const Stage stage = large_stage(ui.view);
  const auto cell = selected_in(ui, stage);
  if (!cell || !is_zoomed(ui, stage)) return;
  show_region(ui, stage,
              following(region_of(ui, stage), stage_shape(ui.layer(), stage), cell->row, cell->column));
}

bool map_gestures(UiContext& ui, MapGesture& gesture, const std::string& name, Stage stage, ImVec2 at,
                  ImVec2 size) {
  CellBlock region = region_of(ui, stage);
  const bool paints = stage == Stage::Masked && ui.view.picture.paints_mask;
  const bool held = map_gestures(gesture, name, stage_shape(ui.layer(), stage), at, size, region, !paints);
  if (region != region_of(ui, stage)) show_region(ui, stage, region);
  return held;
}

void map_menu(UiContext& ui, const std::string& picture, bool hovered) {
  static constexpr MapAction kActions[] = {
      {"zoom_selection", zoom_to_selection, can_zoom_to_selection},
      {"zoom_in", [](UiContext& context) { zoom_by_steps(context, 2); }, can_zoom_large},
      {"zoom_out", [](UiContext& context) { zoom_by_steps(context, -2); }, is_large_zoomed},
      {"zoom_all", show_everything, is_large_zoomed},
      {"overwrite", ask_to_overwrite, can_overwrite, offers_overwriting},
      {"intervene", ask_to_intervene, can_intervene, can_intervene},
      {"why_score", ask_selected_score, can_ask_selected_score, offers_score, why_not_selected_score}};
  const std::string popup = picture + ".menu";
  const bool of_cell = offers_overwriting(ui) || offers_score(ui) || can_intervene(ui);
  if (hovered && (can_zoom_large(ui) || of_cell) && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    ImGui::OpenPopup(popup.c_str());
    if (of_cell && ui.view.selection.hovered.last) ui.view.selection.cell = ui.view.selection.hovered.last;
  }
  if (!ImGui::BeginPopup(popup.c_str())) return;
  for (const MapAction& one : kActions) {
    if (!one.offered(ui)) continue;
    const ActionInfo& entry = ui.find_action(one.action);
    const bool possible = one.possible(ui);
    if (ImGui::MenuItem(std::string(entry.name).c_str(), action_keys(entry).c_str(), false, possible))
      one.run(ui);
    ui.probe.mark("picture." + std::string(entry.id), "", possible);
    if (!possible && one.why_not) tooltip(ui, one.why_not(ui));
  }
  ImGui::EndPopup();
}

}  // namespace headlight
