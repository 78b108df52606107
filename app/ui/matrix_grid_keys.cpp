// The keyboard of a matrix grid: moving the selection, and the one floating editor.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "app/platform/imgui_compat.h"
#include "app/ui/matrix_grid_parts.h"

namespace headlight::grid {
namespace {

constexpr std::size_t kLongestText = 64;

// What was typed in this frame, as far as it is ASCII; a true minus counts as one.
std::string typed_text() {
  std::string text;
  for (ImWchar character : ImGui::GetIO().InputQueueCharacters) {
    if (character == 0x2212) character = '-';
    if (character >= ' ' && character < 0x7f) text += static_cast<char>(character);
  }
  return text;
}

bool begins_number(char character) {
  return (character >= '0' && character <= '9') ||
         std::string_view("+-.").find(character) != std::string_view::npos;
}

void ask_for_focus(MatrixGridState& state, bool caret_at_end) {
  state.focus.ask();
  state.editor_active = false;
  state.caret_at_end = caret_at_end;
}

void begin_editing(Frame& frame, std::string text, bool caret_at_end) {
  MatrixGridState& state = frame.state;
  state.editing = true;
  state.opened_frame = ImGui::GetFrameCount();
  ask_for_focus(state, caret_at_end);
  state.edited = frame.options.input;
  state.text = std::move(text);
  state.message.clear();
  state.reveal = true;
}

// The text field takes a frame or two to get the keyboard: what is typed until then is kept here.
void take_early_text(MatrixGridState& state) {
  const std::string typed = typed_text();
  if (typed.empty()) return;
  state.text = state.caret_at_end ? state.text + typed : typed;
  state.caret_at_end = true;
  ImGui::GetIO().InputQueueCharacters.resize(0);
}

// Sends the text as the cell's new value. False when it is refused: the text stays and the message says why.
bool commit(Frame& frame) {
  MatrixGridState& state = frame.state;
  const ParsedNumber parsed = parse_number_for(frame.options.input.kind, state.text);
  if (!parsed.value) {
    state.message = parsed.message;
    return false;
  }
  if (*parsed.value != frame.selected_value()) {
    frame.ui.send(
        SetCells{frame.options.input, state.row, state.column, Matrix::Constant(1, 1, *parsed.value), 0});
  }
  close_editor(state);
  return true;
}

// A field that opens by typing has its caret behind what was typed; one that opens on the old value has all
// of it selected, so that typing replaces it.
int place_caret(ImGuiInputTextCallbackData* data) {
  auto* state = static_cast<MatrixGridState*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && !state->editor_active) {
    data->CursorPos = data->BufTextLen;
    data->SelectionStart = state->caret_at_end ? data->BufTextLen : 0;
    data->SelectionEnd = data->BufTextLen;
  }
  return 0;
}

// ImGui's text field over the cell. Returns whether the text changed.
bool text_field(Frame& frame, const Rect& rect) {
  MatrixGridState& state = frame.state;
  const Theme& theme = frame.ui.theme;
  std::array<char, kLongestText> buffer{};
  state.text.copy(buffer.data(), buffer.size() - 1);

  ImGui::PushFont(theme.fonts.number);
  const float text_width = ImGui::CalcTextSize(buffer.data()).x + theme.px(20);
  const float width = std::max(static_cast<float>(rect.width), text_width);
  ImVec2 position = top_left(rect);
  position.x = std::max(frame.layout.body_min.x, std::min(position.x, frame.layout.view_max.x - width));
  ImGui::SetCursorScreenPos(position);
  ImGui::SetNextItemWidth(width);
  const float padding = (static_cast<float>(rect.height) - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {theme.px(6), padding});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, to_imgui(theme.panel));
  state.focus.before_item();
  // CallbackCompletion keeps Tab from moving to the next widget: here it moves to the next cell.
  constexpr ImGuiInputTextFlags kFlags =
      ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCompletion;
  const bool changed =
      ImGui::InputText("##editor", buffer.data(), buffer.size(), kFlags, place_caret, &state);
  state.focus.after_item();
  state.text = buffer.data();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  frame.ui.probe.mark(frame.options.name + ".editor", state.text);
  return changed;
}

// The frame of the open editor, and what is wrong with its text.
void draw_editor_state(Frame& frame) {
  const Theme& theme = frame.ui.theme;
  const bool refused = !frame.state.message.empty();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 color = to_imgui(refused ? theme.error : theme.accent);
  draw->AddRect(min, max, color);
  draw->AddRectFilled({min.x, max.y - theme.px(2)}, max, color);
  if (!refused) return;

  // In front of everything: the grid's window may be too small for it.
  ImDrawList* front = ImGui::GetForegroundDrawList();
  const char* text = frame.state.message.c_str();
  const float padding = theme.px(8);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float wrap = std::min(theme.px(300), display.x - 4 * padding);
  ImGui::PushFont(theme.fonts.label);
  const ImVec2 size = ImGui::CalcTextSize(text, nullptr, false, wrap);
  ImVec2 at = {std::min(min.x, display.x - size.x - 3 * padding), max.y + theme.px(4)};
  if (at.y + size.y + 2 * padding > display.y) at.y = min.y - size.y - 2 * padding - theme.px(4);
  const ImVec2 end = {at.x + size.x + 2 * padding, at.y + size.y + 2 * padding};
  front->AddRectFilled(at, end, to_imgui(theme.raised), theme.px(4));
  front->AddRect(at, end, color, theme.px(4));
  front->AddText(ImGui::GetFont(), ImGui::GetFontSize(), {at.x + padding, at.y + padding},
                 to_imgui(theme.text), text, nullptr, wrap);
  ImGui::PopFont();
  frame.ui.probe.mark_rect(frame.options.name + ".message", {at.x, at.y, end.x - at.x, end.y - at.y},
                           frame.state.message);
}

void commit_and_move(Frame& frame, Direction direction) {
  if (commit(frame)) {
    move_selection(frame.state, frame.matrix, direction, false);
  } else {
    ask_for_focus(frame.state, true);
  }
}

void move_by_page(Frame& frame, Index rows) {
  MatrixGridState& state = frame.state;
  select_cell(state, std::clamp<Index>(state.row + rows, 0, frame.matrix.rows() - 1), state.column);
}

void move_to_edge(Frame& frame, bool to_end) {
  MatrixGridState& state = frame.state;
  const Index last_row = frame.matrix.rows() - 1, last_column = frame.matrix.cols() - 1;
  const Index row = ctrl_held() ? (to_end ? last_row : 0) : state.row;
  select_cell(state, row, to_end ? last_column : 0);
}

}  // namespace

void close_editor(MatrixGridState& state) {
  state.editing = false;
  state.editor_active = false;
  state.focus = {};
  state.message.clear();
}

void open_editor(Frame& frame) {
  begin_editing(frame, exact_number_text(frame.selected_value()), false);
}

void move_selection(MatrixGridState& state, const Matrix& matrix, Direction direction, bool labels) {
  const Index rows = matrix.rows(), columns = matrix.cols();
  const bool was_on_label = state.on_label;
  Index row = state.row, column = state.column;
  if (direction == Direction::Up) row = std::max<Index>(row - 1, 0);
  if (direction == Direction::Down) row = std::min(row + 1, rows - 1);
  if (direction == Direction::Left && !was_on_label) column = std::max<Index>(column - 1, 0);
  if (direction == Direction::Right && !was_on_label) column = std::min(column + 1, columns - 1);
  const bool to_label = labels && direction == Direction::Left && state.column == 0;
  const bool stays_on_label = was_on_label && (direction == Direction::Up || direction == Direction::Down);
  select_cell(state, row, column);
  state.on_label = to_label || stays_on_label;
}

void handle_keys(Frame& frame) {
  MatrixGridState& state = frame.state;
  state.focused = ImGui::IsWindowFocused();
  if (!state.focused || state.editing || ImGui::IsAnyItemActive() || alt_held()) return;
  const Index row = state.row, column = state.column;
  const bool labels = static_cast<bool>(frame.options.row_item);
  const auto move = [&](Direction direction) { move_selection(state, frame.matrix, direction, labels); };
  if (key_pressed(Key::Left, true)) move(Direction::Left);
  if (key_pressed(Key::Right, true)) move(Direction::Right);
  if (key_pressed(Key::Up, true)) move(Direction::Up);
  if (key_pressed(Key::Down, true)) move(Direction::Down);
  if (key_pressed(Key::PageUp, true)) move_by_page(frame, -frame.layout.page_rows());
  if (key_pressed(Key::PageDown, true)) move_by_page(frame, frame.layout.page_rows());
  if (key_pressed(Key::Home)) move_to_edge(frame, false);
  if (key_pressed(Key::End)) move_to_edge(frame, true);
  if (key_pressed(Key::Tab, true)) {
    // As in a text: from the end of a row to the beginning of the next.
    const Index at = state.row * frame.matrix.cols() + state.column + (shift_held() ? -1 : 1);
    const Index cell = std::clamp<Index>(at, 0, frame.matrix.size() - 1);
    select_cell(state, cell / frame.matrix.cols(), cell % frame.matrix.cols());
  }
  if (state.row != row || state.column != column) state.tooltip_hidden = true;
  if (state.on_label || ctrl_held()) return;
  const std::string typed = typed_text();
  if (key_pressed(Key::Enter) || key_pressed(Key::F2)) {
    open_editor(frame);
  } else if (!typed.empty() && begins_number(typed.front())) {
    begin_editing(frame, typed, true);
    ImGui::GetIO().InputQueueCharacters.resize(0);
  }
}

void show_editor(Frame& frame) {
  MatrixGridState& state = frame.state;
  if (!state.editing) return;
  if (!(state.edited == frame.options.input)) return close_editor(state);
  const bool escape = key_pressed(Key::Escape), enter = key_pressed(Key::Enter), tab = key_pressed(Key::Tab);
  const bool was_active = state.editor_active;
  // The key that opened the field must not close it at once.
  const bool listening = (was_active || state.focused) && state.opened_frame != ImGui::GetFrameCount();
  if (state.focus.waiting && !was_active) take_early_text(state);

  ImGui::PushClipRect(frame.layout.body_min, frame.layout.view_max, true);
  if (text_field(frame, frame.layout.cell_rect(state.row, state.column))) state.message.clear();
  state.editor_active = ImGui::IsItemActive();
  draw_editor_state(frame);
  ImGui::PopClipRect();

  if (escape && listening) {
    close_editor(state);
  } else if ((enter || tab) && listening) {
    const Direction sideways = shift_held() ? Direction::Left : Direction::Right;
    commit_and_move(frame, enter ? Direction::Down : sideways);
  } else if (was_active && !state.editor_active && !commit(frame)) {
    state.refused_click = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  }
}

}  // namespace headlight::grid
