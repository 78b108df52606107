#include "app/ui/main_window/keyboard_navigation.h"

#include <algorithm>

#include "app/platform/imgui_compat.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/views/view_switch.h"

namespace headlight {
namespace {

void show_stage(UiContext& ui, int by) {
  const std::vector<Stage> stages = stages_in_use(ui.model());
  const auto now = std::find(stages.begin(), stages.end(), large_stage(ui.view)) - stages.begin();
  const Stage stage = stages[static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(now + by, 0, static_cast<std::ptrdiff_t>(stages.size()) - 1))];
  ui.view.focused_stage = stage;
  if (ui.view.opened_stage) ui.view.opened_stage = stage;
}

// If queries, keys and values are given, the embeddings may be missing and have no cells.
bool has_cells(const UiContext& ui) {
  const Stage stage = large_stage(ui.view);
  return stage_rows(ui.model(), stage) > 0 && stage_columns(ui.model(), stage) > 0;
}

// The selected cell if it belongs to the shown stage, else one in its first column.
CellAddress current_cell(const UiContext& ui) {
  const Stage stage = large_stage(ui.view);
  const auto& selected = ui.view.selected;
  if (selected && selected->stage == stage && selected->sequence == ui.view.sequence) return *selected;
  CellAddress cell;
  cell.stage = stage;
  cell.sequence = ui.view.sequence;
  cell.head = stage_head(ui.model(), stage, view_head(ui));
  if (selected) cell.row = std::min(selected->row, stage_rows(ui.model(), stage) - 1);
  return cell;
}

void move_cell(UiContext& ui, Index rows, Index columns, Index heads = 0) {
  if (!has_cells(ui)) return;
  CellAddress cell = current_cell(ui);
  cell.row = std::clamp<Index>(cell.row + rows, 0, stage_rows(ui.model(), cell.stage) - 1);
  cell.column = std::clamp<Index>(cell.column + columns, 0, stage_columns(ui.model(), cell.stage) - 1);
  cell.head = std::clamp<Index>(cell.head + heads, 0, stage_heads(ui.model(), cell.stage) - 1);
  ui.view.selected = cell;
  if (heads != 0 && ui.view.head) ui.view.head = linked_head(ui.model(), cell, Stage::Weights);
}

}  // namespace

void go_to_next_place(UiContext& ui, WorkbenchState& state) {
  MatrixGridState& embeddings = state.inputs.tokens.grid;
  MatrixGridState* weights = shown_weights_grid(ui, state.inputs.weights);
  if (!ui.view.edited_input) {
    embeddings.takes_keyboard = true;
  } else if (embeddings.focused && weights) {
    weights->takes_keyboard = true;
  } else {
    ImGui::SetWindowFocus("workbench");
    if (has_cells(ui)) ui.view.selected = current_cell(ui);
  }
}

bool picture_has_keys(const UiContext& ui) {
  return !ui.view.edited_input && !ui.view.takes_arrows && !ImGui::GetIO().WantTextInput &&
         !ImGui::IsAnyItemActive();
}

void picture_keys(UiContext& ui) {
  if (!picture_has_keys(ui) || ctrl_held() || alt_held()) return;
  if (key_pressed(Key::PageUp, true)) shift_held() ? move_cell(ui, 0, 0, -1) : show_stage(ui, -1);
  if (key_pressed(Key::PageDown, true)) shift_held() ? move_cell(ui, 0, 0, 1) : show_stage(ui, 1);
  if (key_pressed(Key::Left, true)) move_cell(ui, 0, -1);
  if (key_pressed(Key::Right, true)) move_cell(ui, 0, 1);
  const Index all = stage_columns(ui.model(), large_stage(ui.view));
  if (key_pressed(Key::Home)) move_cell(ui, 0, -all);
  if (key_pressed(Key::End)) move_cell(ui, 0, all);
  if (ui.view.focus_view == FocusView::Row) return;  // the view of a row handles Up and Down itself
  if (key_pressed(Key::Up, true)) move_cell(ui, -1, 0);
  if (key_pressed(Key::Down, true)) move_cell(ui, 1, 0);
}

}  // namespace headlight
