#include "app/ui/picture/map_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/platform/imgui_compat.h"
#include "app/ui/picture/linked_cells.h"
#include "engine/model/overwriting.h"

namespace headlight {
namespace {

constexpr double kStepFactor = 1.25;  // zoom per step of the wheel
constexpr double kStepPan = 0.125;    // pan per step, as a share of the visible region

CellBlock& held_region(ViewState& view, Stage stage) {
  return view.regions[static_cast<std::size_t>(stage_info(stage).columns)];
}

// The part of the stage that belongs to the selected cell; nullopt if it is of another head or sequence.
std::optional<LinkedCells> selected_in(const UiContext& ui, Stage stage) {
  const auto& selected = ui.view.selected;
  if (!selected) return std::nullopt;
  const Index head = linked_head(ui.model(), *selected, stage);
  return linked_cells(*selected, stage, ui.view.sequence, head, ui.model());
}

double share_of(Index cell, Index begin, Index end) {
  if (cell < begin || cell >= end) return 0.5;
  return (static_cast<double>(cell - begin) + 0.5) / static_cast<double>(end - begin);
}

// Removes the whole cells from the accumulated movement and returns them.
Index whole_cells(double& turned) {
  const double whole = std::trunc(turned);
  turned -= whole;
  return static_cast<Index>(whole);
}

void turn_wheel(UiContext& ui, MapGesture& gesture, Stage stage, MapPlace place) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0 && io.MouseWheelH == 0) return;
  const MapShape shape = stage_shape(ui.model(), stage);
  CellBlock region = region_of(ui, stage);
  const double across = static_cast<double>(io.MouseWheelH) + (shift_held() ? io.MouseWheel : 0);
  gesture.pan_columns -= across * std::max(1.0, kStepPan * static_cast<double>(region.columns()));
  region = panned(region, shape, 0, whole_cells(gesture.pan_columns));
  if (!shift_held() && io.MouseWheel != 0) {
    // Reversing the wheel discards the accumulated fraction of a cell.
    if (gesture.zoom * io.MouseWheel < 0) gesture.zoom = 0;
    gesture.zoom += io.MouseWheel;
    const CellBlock turned = zoomed(region, shape, std::pow(kStepFactor, gesture.zoom), place);
    if (turned != region || std::abs(gesture.zoom) >= 1) gesture.zoom = 0;
    region = turned;
  }
  show_region(ui, stage, region);
}

// Drags with the middle button, or the left one while Space is held. Returns whether the picture is held.
bool drag_map(UiContext& ui, MapGesture& gesture, const std::string& name, Stage stage, ImVec2 size) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool space = key_down(Key::Space) && !ImGui::GetIO().WantTextInput;
  const bool taken = ImGui::IsMouseClicked(ImGuiMouseButton_Middle) ||
                     (space && ImGui::IsMouseClicked(ImGuiMouseButton_Left));
  if (ImGui::IsItemHovered() && taken) gesture = {name, mouse, region_of(ui, stage)};
  if (gesture.dragged != name) return space && ImGui::IsItemHovered();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Middle) && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    gesture.dragged.clear();
    return true;
  }
  const auto cells = [](float moved, Index shown, float room) {
    return static_cast<Index>(std::lround(-moved * static_cast<float>(shown) / std::max(room, 1.0f)));
  };
  const CellBlock& began = gesture.region;
  show_region(
      ui, stage,
      panned(began, stage_shape(ui.model(), stage), cells(mouse.y - gesture.from.y, began.rows(), size.y),
             cells(mouse.x - gesture.from.x, began.columns(), size.x)));
  return true;
}

// The embeddings X can be overwritten by a patch as well.
bool is_overwritable(const Model& model, Stage stage) {
  return may_be_overwritten(model, stage) || (stage == Stage::Embeddings && stage_exists(model, stage));
}

struct MapAction {
  const char* action;
  void (*run)(UiContext&);
  bool (*possible)(const UiContext&);
};

// Zooms to the numbers around the cell, or from any zoom back to the whole matrix.
void double_click(UiContext& ui, Stage stage, MapPlace place) {
  if (is_zoomed(ui, stage)) {
    show_region(ui, stage, {});
    return;
  }
  const MapShape shape = stage_shape(ui.model(), stage);
  const auto cell = [](double share, Index total) {
    return static_cast<Index>(share * static_cast<double>(total));
  };
  show_region(ui, stage,
              around(whole_of(shape), shape, cell(place.row, shape.rows), cell(place.column, shape.columns),
                     kSelectionCells));
}

}  // namespace

Stage large_stage(const ViewState& view) {
  return view.opened_stage.value_or(view.focused_stage);
}

MapShape stage_shape(const Model& model, Stage stage) {
  return {stage_rows(model, stage), stage_columns(model, stage)};
}

CellBlock region_of(const ViewState& view, const Model& model, Stage stage) {
  const MapShape shape = stage_shape(model, stage);
  return can_zoom(shape) ? fitted(view.regions[static_cast<std::size_t>(stage_info(stage).columns)], shape)
                         : whole_of(shape);
}

CellBlock region_of(const UiContext& ui, Stage stage) {
  return region_of(ui.view, ui.model(), stage);
}

bool is_zoomed(const UiContext& ui, Stage stage) {
  return region_of(ui, stage) != whole_of(stage_shape(ui.model(), stage));
}

void show_region(UiContext& ui, Stage stage, const CellBlock& region) {
  held_region(ui.view, stage) = region == whole_of(stage_shape(ui.model(), stage)) ? CellBlock{} : region;
}

void zoom_by_steps(UiContext& ui, double steps) {
  const Stage stage = large_stage(ui.view);
  const CellBlock region = region_of(ui, stage);
  MapPlace place;
  if (const auto cell = selected_in(ui, stage))
    place = {share_of(cell->row, region.row, region.row_end),
             share_of(cell->column, region.column, region.column_end)};
  show_region(ui, stage, zoomed(region, stage_shape(ui.model(), stage), std::pow(kStepFactor, steps), place));
}

void zoom_to_selection(UiContext& ui) {
  const Stage stage = large_stage(ui.view);
  const auto cell = selected_in(ui, stage);
  if (!cell) return;
  show_region(
      ui, stage,
      around(region_of(ui, stage), stage_shape(ui.model(), stage), cell->row, cell->column, kSelectionCells));
}

void show_everything(UiContext& ui) {
  show_region(ui, large_stage(ui.view), {});
}

bool can_zoom_large(const UiContext& ui) {
  const bool heatmaps = ui.view.focus_view == FocusView::Heatmap || ui.view.focus_view == FocusView::Compare;
  return heatmaps && can_zoom(stage_shape(ui.model(), large_stage(ui.view)));
}

bool can_zoom_to_selection(const UiContext& ui) {
  return can_zoom_large(ui) && selected_in(ui, large_stage(ui.view)).has_value();
}

bool is_large_zoomed(const UiContext& ui) {
  return can_zoom_large(ui) && is_zoomed(ui, large_stage(ui.view));
}

void ask_to_overwrite(UiContext& ui) {
  ui.view.model.overwrites = ui.view.selected;
}

bool can_overwrite(const UiContext& ui) {
  return ui.view.model.work && ui.view.selected && is_overwritable(ui.model(), ui.view.selected->stage);
}

void follow_selection(UiContext& ui, std::optional<CellAddress>& followed) {
  if (ui.view.selected == followed) return;
  followed = ui.view.selected;
  const Stage stage = large_stage(ui.view);
  const auto cell = selected_in(ui, stage);
  if (!cell || !is_zoomed(ui, stage)) return;
  show_region(ui, stage,
              following(region_of(ui, stage), stage_shape(ui.model(), stage), cell->row, cell->column));
}

bool map_gestures(UiContext& ui, MapGesture& gesture, const std::string& name, Stage stage, ImVec2 at,
                  ImVec2 size) {
  if (!can_zoom(stage_shape(ui.model(), stage))) return false;
  const bool held = drag_map(ui, gesture, name, stage, size);
  if (held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto share = [](float offset, float room) {
      return std::clamp(static_cast<double>(offset) / std::max(1.0, static_cast<double>(room)), 0.0, 1.0);
    };
    const MapPlace place = {share(mouse.y - at.y, size.y), share(mouse.x - at.x, size.x)};
    if (!held) turn_wheel(ui, gesture, stage, place);
    const bool paints = stage == Stage::Masked && ui.view.paints_mask;
    if (!held && !paints && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      double_click(ui, stage, place);
  }
  return held;
}

void map_menu(UiContext& ui, const std::string& picture, bool hovered) {
  static constexpr MapAction kActions[] = {
      {"zoom_selection", zoom_to_selection, can_zoom_to_selection},
      {"zoom_in", [](UiContext& context) { zoom_by_steps(context, 2); }, can_zoom_large},
      {"zoom_out", [](UiContext& context) { zoom_by_steps(context, -2); }, is_large_zoomed},
      {"zoom_all", show_everything, is_large_zoomed},
      {"overwrite", ask_to_overwrite, can_overwrite}};
  const std::string popup = picture + ".menu";
  const auto& work = ui.view.model.work;
  const bool overwrites =
      work && work->layer.side != Side::Cross && is_overwritable(ui.model(), large_stage(ui.view));
  if (hovered && (can_zoom_large(ui) || overwrites) && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
    ImGui::OpenPopup(popup.c_str());
    if (overwrites && ui.view.hovered) ui.view.selected = ui.view.hovered;
  }
  if (!ImGui::BeginPopup(popup.c_str())) return;
  for (const MapAction& one : kActions) {
    if (one.run == ask_to_overwrite && !overwrites) continue;
    const ActionInfo& entry = ui.find_action(one.action);
    const bool possible = one.possible(ui);
    if (ImGui::MenuItem(std::string(entry.name).c_str(), action_keys(entry).c_str(), false, possible))
      one.run(ui);
    ui.probe.mark("picture." + std::string(entry.id), "", possible);
  }
  ImGui::EndPopup();
}

}  // namespace headlight
