#include "app/ui/inputs/token_list.h"

#include <algorithm>
#include <array>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/widgets/text_entry.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kMenuButtonWidth = 20;
constexpr const char* kNewLabel = "new";

const std::vector<std::string>& labels_of(const UiContext& ui, const TokenListState& state) {
  return state.of_keys ? ui.layer().key_labels() : ui.layer().tokens;
}

Index count_of(const UiContext& ui, const TokenListState& state) {
  return static_cast<Index>(labels_of(ui, state).size());
}

const std::string& label_at(const UiContext& ui, const TokenListState& state, Index row) {
  return labels_of(ui, state)[static_cast<std::size_t>(row)];
}

// If queries and keys share one list of tokens, that list is changed.
bool changes_keys(const UiContext& ui, const TokenListState& state) {
  return state.of_keys && !ui.layer().self_attention();
}

void remove(UiContext& ui, const TokenListState& state, Index first, Index last) {
  const LineKind kind = changes_keys(ui, state) ? LineKind::Key : LineKind::Token;
  if (first == last && kind == LineKind::Token)
    ui.send(RemoveToken{first});
  else
    ui.send(ChangeLines{{kind, LineChange::Remove, first, last - first + 1, 0}});
}

void start_renaming(const UiContext& ui, TokenListState& state, Index row) {
  state.renaming = row;
  state.focus.ask();
  state.rename_active = false;
  state.new_label = text_head(label_at(ui, state, row), kMostLabel);
  select_label(state.grid, row);
}

void finish_renaming(UiContext& ui, TokenListState& state, bool keep) {
  const Index row = *state.renaming;
  state.renaming.reset();
  if (keep && row < count_of(ui, state) &&
      state.new_label != text_head(label_at(ui, state, row), kMostLabel)) {
    ui.send(RenameToken{row, state.new_label, changes_keys(ui, state)});
  }
}

// Inserts a token at `at`; `copy`: a copy of the token before it.
void insert(UiContext& ui, TokenListState& state, Index at, bool copy) {
  if (changes_keys(ui, state) && copy)
    ui.send(ChangeLines{{LineKind::Key, LineChange::Duplicate, at - 1, 1, 0}});
  else if (changes_keys(ui, state))
    ui.send(ChangeLines{{LineKind::Key, LineChange::Insert, at, 1, 0}});
  else
    ui.send(InsertToken{at, copy ? label_at(ui, state, at - 1) : kNewLabel, copy});
  state.awaited = at;
  state.awaited_revision = ui.document.revision();
}

void move(UiContext& ui, TokenListState& state, Index from, Index to) {
  if (to < 0 || to >= count_of(ui, state)) return;
  if (changes_keys(ui, state))
    ui.send(ChangeLines{{LineKind::Key, LineChange::Move, from, 1, to}});
  else
    ui.send(MoveToken{from, to});
  select_label(state.grid, to);
}

void rename_field(UiContext& ui, TokenListState& state, const Rect& rect) {
  const Theme& theme = ui.theme;
  state.rename_drawn = true;
  ImGui::SetCursorScreenPos({static_cast<float>(rect.x), static_cast<float>(rect.y)});
  ImGui::SetNextItemWidth(static_cast<float>(rect.width) - theme.px(2));
  const float padding = (theme.px(24) - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {theme.px(8), padding});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, theme.px(2));
  ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(theme.primary));
  state.focus.before_item();
  text_entry(ui, "inputs.token.editor", state.new_label, kMostLabel, "", ImGuiInputTextFlags_AutoSelectAll);
  state.focus.after_item();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  ui.probe.mark("inputs.token[" + std::to_string(*state.renaming) + "].editor", state.new_label);
  const bool was_active = state.rename_active;
  state.rename_active = ImGui::IsItemActive();
  if (was_active && !state.rename_active) finish_renaming(ui, state, !key_pressed(Key::Escape));
}

void menu_button(UiContext& ui, TokenListState& state, Index row, const Rect& rect, bool strong) {
  const Theme& theme = ui.theme;
  const float width = theme.px(kMenuButtonWidth);
  const ImVec2 min = {static_cast<float>(rect.right()) - width, static_cast<float>(rect.y)};
  ImGui::SetCursorScreenPos(min);
  const bool pressed = click_area("##menu", {width, static_cast<float>(rect.height)});
  ui.probe.mark("inputs.token[" + std::to_string(row) + "].menu");
  const bool hovered = ImGui::IsItemHovered();
  tooltip(ui, "Rename, insert, copy, move or remove this token");
  const ImU32 color = hovered ? to_imgui(theme.text) : to_imgui(theme.quiet_text, strong ? 1.0 : 0.55);
  const float middle_x = min.x + width / 2 - theme.px(2),
              middle_y = min.y + static_cast<float>(rect.height) / 2;
  for (float step : {-1.0f, 0.0f, 1.0f}) {
    ImGui::GetWindowDrawList()->AddCircleFilled({middle_x + step * theme.px(4), middle_y}, theme.px(1.3f),
                                                color, 8);
  }
  if (!pressed) return;
  state.menu_row = row;
  state.menu_opens = true;
}

// Called by the grid for each visible label.
void token_item(UiContext& ui, TokenListState& state, Index row, const Rect& rect) {
  ImGui::PushID(static_cast<int>(row));
  if (state.renaming == row) {
    rename_field(ui, state, rect);
    ImGui::PopID();
    return;
  }
  const ImVec2 min = {static_cast<float>(rect.x), static_cast<float>(rect.y)};
  const ImVec2 size = {static_cast<float>(rect.width) - ui.theme.px(kMenuButtonWidth),
                       static_cast<float>(rect.height)};
  ImGui::SetCursorScreenPos(min);
  click_area("##token", size);
  ui.probe.mark("inputs.token[" + std::to_string(row) + "]", label_at(ui, state, row));
  const bool hovered = ImGui::IsItemHovered();
  const bool selected = state.grid.selection.on_label && state.grid.selection.row == row;
  if (ImGui::IsItemActivated()) press_label(state.grid, row);
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) start_renaming(ui, state, row);
  if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right) && !menu_on_rows(state.grid, row)) {
    select_label(state.grid, row);
    state.menu_row = row;
    state.menu_opens = true;
  }
  menu_button(ui, state, row, rect, hovered || selected);
  ImGui::PopID();
}

bool menu_item(const UiContext& ui, const char* name, const char* label, const char* keys,
               bool enabled = true) {
  const bool chosen = ImGui::MenuItem(label, keys, false, enabled);
  ui.probe.mark(std::string("inputs.menu.") + name, {}, enabled);
  return chosen;
}

void show_menu(UiContext& ui, TokenListState& state) {
  if (state.menu_opens) ImGui::OpenPopup("##token_menu");
  state.menu_opens = false;
  if (!ImGui::BeginPopup("##token_menu")) return;
  const Index row = state.menu_row, count = count_of(ui, state);
  if (row >= count) {
    ImGui::CloseCurrentPopup();
    return ImGui::EndPopup();
  }
  quiet_text(ui, token_name(labels_of(ui, state), row, ui.counting()));
  if (menu_item(ui, "rename", "Rename", "F2")) start_renaming(ui, state, row);
  ImGui::Separator();
  if (menu_item(ui, "insert_before", "Insert before", nullptr)) insert(ui, state, row, false);
  if (menu_item(ui, "insert_after", "Insert after", nullptr)) insert(ui, state, row + 1, false);
  if (menu_item(ui, "duplicate", "Duplicate", nullptr)) insert(ui, state, row + 1, true);
  ImGui::Separator();
  if (menu_item(ui, "move_up", "Move up", "Alt+Up", row > 0)) move(ui, state, row, row - 1);
  if (menu_item(ui, "move_down", "Move down", "Alt+Down", row + 1 < count)) move(ui, state, row, row + 1);
  ImGui::Separator();
  if (menu_item(ui, "remove", "Remove", "Delete", count > 1)) remove(ui, state, row, row);
  ImGui::EndPopup();
}

// Keys while a label rather than a cell is selected. Runs before the label's text field is drawn, so that the
// Enter that closes the field does not open it again.
void label_keys(UiContext& ui, TokenListState& state) {
  const GridSelection& selection = state.grid.selection;
  if (!state.grid.focused || !selection.on_label || state.renaming || ImGui::IsAnyItemActive()) return;
  if (alt_held()) return;  // the grid handles Alt: it moves and removes rows
  const Index row = selection.row, count = count_of(ui, state);
  if (key_pressed(Key::F2) || key_pressed(Key::Enter)) start_renaming(ui, state, row);
  const Index first = std::min(row, selection.far_row), last = std::max(row, selection.far_row);
  if (!key_pressed(Key::Delete) || last - first + 1 >= count) return;
  remove(ui, state, first, last);
}

void meet_awaited_token(const UiContext& ui, TokenListState& state) {
  if (!state.awaited) return;
  if (ui.document.revision() != state.awaited_revision && *state.awaited < count_of(ui, state)) {
    start_renaming(ui, state, *state.awaited);
  }
  state.awaited.reset();
}

Index marked_row(const UiContext& ui, Index sequence) {
  const std::optional<CellAddress>& cell = ui.view.selection.hovered.last;
  return cell && cell->sequence == sequence ? cell->row : -1;
}

// Highlights the factor of a derivation in this grid, and moves the cursor to a clicked one.
void follow_pointed_input(UiContext& ui, TokenListState& state, MatrixGridOptions& options) {
  if (const auto& lit = ui.view.selection.pointed.last; lit && lit->input == options.input) {
    options.lit_row = lit->row;
    options.lit_column = lit->column;
  }
  if (!ui.view.selection.asked || ui.view.selection.asked->input != options.input) return;
  select_cell(state.grid, ui.view.selection.asked->row, ui.view.selection.asked->column);
  state.grid.takes_keyboard = true;
  ui.view.selection.asked.reset();
}

}  // namespace

void append_token(UiContext& ui, TokenListState& state) {
  insert(ui, state, count_of(ui, state), false);
}

void token_list(UiContext& ui, TokenListState& state, Index sequence, float max_height_px) {
  meet_awaited_token(ui, state);
  if (state.renaming && *state.renaming >= count_of(ui, state)) state.renaming.reset();
  label_keys(ui, state);
  state.rename_drawn = false;
  MatrixGridOptions options;
  options.name = state.of_keys ? "inputs.key_embeddings" : "inputs.embeddings";
  options.input = {state.of_keys ? InputKind::KeyEmbeddings : InputKind::Embeddings, sequence,
                   Parameter::Query};
  options.row_labels = labels_of(ui, state);
  options.row_positions = true;
  options.marked_row = marked_row(ui, sequence);
  options.max_height_px = max_height_px;
  options.label_room_px = ui.theme.px(kMenuButtonWidth);
  options.row_item = [&](Index row, const Rect& rect) { token_item(ui, state, row, rect); };
  follow_pointed_input(ui, state, options);
  matrix_grid(ui, state.grid, options);
  // Not while the grid has the keyboard: the inspector then keeps the cell whose change is observed.
  if (state.grid.hover_row >= 0 && !state.grid.focused && !state.of_keys) {
    ui.view.selection.hovered.now =
        CellAddress{Stage::Embeddings, sequence, 0, state.grid.hover_row, state.grid.hover_column};
  }
  // Commits the open label when its row is scrolled out of view.
  if (state.renaming && state.rename_active && !state.rename_drawn) finish_renaming(ui, state, true);
  show_menu(ui, state);
}

}  // namespace headlight
