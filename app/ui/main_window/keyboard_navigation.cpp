#include "app/ui/main_window/keyboard_navigation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "app/platform/imgui_compat.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/views/view_switch.h"

namespace headlight {
namespace {

void show_stage(UiContext& ui, int by) {
  const std::vector<Stage> stages = stages_in_use(ui.layer());
  const auto now = std::find(stages.begin(), stages.end(), large_stage(ui.view)) - stages.begin();
  const Stage stage = stages[static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(now + by, 0, static_cast<std::ptrdiff_t>(stages.size()) - 1))];
  ui.view.focused_stage = stage;
  if (ui.view.opened_stage) ui.view.opened_stage = stage;
}

// If queries, keys and values are given, the embeddings may be missing and have no cells.
bool has_cells(const UiContext& ui) {
  const Stage stage = large_stage(ui.view);
  return stage_rows(ui.layer(), stage) > 0 && stage_columns(ui.layer(), stage) > 0;
}

// The selected cell if it belongs to the shown stage, else one in its first column.
CellAddress current_cell(const UiContext& ui) {
  const Stage stage = large_stage(ui.view);
  const auto& selected = ui.view.selection.cell;
  if (selected && selected->stage == stage && selected->sequence == ui.view.sequence) return *selected;
  CellAddress cell;
  cell.stage = stage;
  cell.sequence = ui.view.sequence;
  cell.head = stage_head(ui.layer(), stage, view_head(ui));
  if (selected) cell.row = std::min(selected->row, stage_rows(ui.layer(), stage) - 1);
  return cell;
}

void move_cell(UiContext& ui, Index rows, Index columns, Index heads = 0) {
  if (!has_cells(ui)) return;
  CellAddress cell = current_cell(ui);
  cell.row = std::clamp<Index>(cell.row + rows, 0, stage_rows(ui.layer(), cell.stage) - 1);
  cell.column = std::clamp<Index>(cell.column + columns, 0, stage_columns(ui.layer(), cell.stage) - 1);
  cell.head = std::clamp<Index>(cell.head + heads, 0, stage_heads(ui.layer(), cell.stage) - 1);
  ui.view.selection.cell = cell;
  if (heads != 0 && ui.view.head) ui.view.head = linked_head(ui.layer(), cell, Stage::Weights);
}

// The beginnings of the names of its controls; of the first one that is in sight the keyboard is at the first
// control. Without names: a part that has its own keys.
using Names = std::vector<std::string_view>;
const Names& names_of(KeyPlace place) {
  static const std::array<Names, 7> names = {{{"toolbar.menu", "toolbar."},
                                              {"line.word.", "line."},
                                              {"stage.", "strip.", "stages."},
                                              {},
                                              {},
                                              {},
                                              {"lesson.next", "lesson.", "model.page."}}};
  return names[static_cast<std::size_t>(place)];
}

bool begins_with(const std::string& control, std::string_view name) {
  return std::string_view(control).starts_with(name);
}

// The place of the keyboard; nullopt: it has been nowhere.
std::optional<KeyPlace> place_now(const UiContext& ui, const WorkbenchState& state) {
  if (ui.view.selection.input)
    return ui.view.selection.input->kind == InputKind::Weight ? KeyPlace::Weights : KeyPlace::Embeddings;
  if (!state.focus.shown) return state.key_place;
  for (int i = 0; i < kKeyPlaces; ++i)
    for (const std::string_view name : names_of(static_cast<KeyPlace>(i)))
      if (begins_with(state.focus.at, name)) return static_cast<KeyPlace>(i);
  return state.key_place;
}

// The control that the keyboard is brought to; "": none is in sight. Of the sentence it is the word that
// asks.
std::string first_control(const UiContext& ui, KeyPlace place) {
  for (const std::string_view name : names_of(place)) {
    std::string first;
    for (const ProbedWidget& control : ui.probe.controls()) {
      if (!control.in_sight || !control.enabled || !begins_with(control.name, name)) continue;
      if (first.empty() || control.value.ends_with("(query)")) first = control.name;
    }
    if (!first.empty()) return first;
  }
  return "";
}

// Whether a grid of inputs is in sight whose name ends so, and does not contain `other`.
bool shows_grid(const UiContext& ui, std::string_view end, std::string_view other = "\n") {
  const auto& widgets = ui.probe.widgets();
  return std::any_of(widgets.begin(), widgets.end(), [&](const ProbedWidget& widget) {
    return begins_with(widget.name, "inputs.") && widget.name.ends_with(end) &&
           widget.name.find(other) == std::string::npos;
  });
}

// Whether the part is there, and has the keyboard now.
bool enter(UiContext& ui, WorkbenchState& state, KeyPlace place) {
  MatrixGridState* const weights = shown_weights_grid(ui, state.inputs.weights);
  const bool embeddings = shows_grid(ui, "embeddings.grid");
  if (place == KeyPlace::Embeddings && embeddings) return state.inputs.tokens.grid.takes_keyboard = true;
  if (place == KeyPlace::Weights && weights && shows_grid(ui, ".grid", "embeddings"))
    return weights->takes_keyboard = true;
  if (place == KeyPlace::Picture && has_cells(ui)) {
    ui.view.selection.cell = current_cell(ui);
    state.focus.shown = false;
    return true;
  }
  const std::string control = first_control(ui, place);
  if (control.empty()) return false;
  ui.view.keyboard.next = control;
  return state.focus.shown = true;
}

void go(UiContext& ui, WorkbenchState& state, int by) {
  const auto now = place_now(ui, state);
  int next = now ? static_cast<int>(*now) : by > 0 ? -1 : kKeyPlaces;
  if (ui.view.selection.input) ImGui::SetWindowFocus("workbench");
  for (int tried = 0; tried < kKeyPlaces; ++tried) {
    next = (next + by + kKeyPlaces) % kKeyPlaces;
    if (!enter(ui, state, static_cast<KeyPlace>(next))) continue;
    state.key_place = static_cast<KeyPlace>(next);
    return;
  }
}

}  // namespace

void go_to_next_place(UiContext& ui, WorkbenchState& state) {
  go(ui, state, 1);
}

void go_to_place_before(UiContext& ui, WorkbenchState& state) {
  go(ui, state, -1);
}

bool picture_has_keys(const UiContext& ui) {
  return !ui.view.selection.input && !ui.view.keyboard.takes_arrows && !ImGui::GetIO().WantTextInput &&
         !ImGui::IsAnyItemActive();
}

void picture_keys(UiContext& ui, bool pages) {
  if (!picture_has_keys(ui) || ctrl_held() || alt_held()) return;
  if (pages && key_pressed(Key::PageUp, true)) shift_held() ? move_cell(ui, 0, 0, -1) : show_stage(ui, -1);
  if (pages && key_pressed(Key::PageDown, true)) shift_held() ? move_cell(ui, 0, 0, 1) : show_stage(ui, 1);
  if (key_pressed(Key::Left, true)) move_cell(ui, 0, -1);
  if (key_pressed(Key::Right, true)) move_cell(ui, 0, 1);
  const Index all = stage_columns(ui.layer(), large_stage(ui.view));
  if (key_pressed(Key::Home)) move_cell(ui, 0, -all);
  if (key_pressed(Key::End)) move_cell(ui, 0, all);
  if (ui.view.focus_view == FocusView::Row) return;  // the view of a row handles Up and Down itself
  if (key_pressed(Key::Up, true)) move_cell(ui, -1, 0);
  if (key_pressed(Key::Down, true)) move_cell(ui, 1, 0);
}

}  // namespace headlight
