// The floating editor of a matrix grid, and messages beside its selection.
#include <algorithm>
#include <array>
#include <string_view>

#include "app/figure/plan/label_text.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/inputs/matrix_grid_parts.h"
#include "engine/core/ascii.h"

namespace headlight::grid {
namespace {

constexpr std::size_t kLongestText = 128;

// The ASCII characters typed in this frame; U+2212 becomes a plain minus.
std::string typed_text() {
  std::string text;
  for (ImWchar character : ImGui::GetIO().InputQueueCharacters) {
    if (character == 0x2212) character = '-';
    if (character >= ' ' && character < 0x7f) text += static_cast<char>(character);
  }
  return text;
}

// Whether the character can begin a number, or arithmetic such as sqrt(2) or =1/3.
bool begins_entry(char character) {
  return is_digit(character) || is_letter(character) ||
         std::string_view("+-.(=").find(character) != std::string_view::npos;
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
  state.notice.clear();
  state.reveal = true;
}

// The text field takes a frame or two to get the keyboard: text typed until then is collected here.
void take_early_text(MatrixGridState& state) {
  const std::string typed = typed_text();
  if (typed.empty()) return;
  state.text = state.caret_at_end ? state.text + typed : typed;
  state.caret_at_end = true;
  ImGui::GetIO().InputQueueCharacters.resize(0);
}

// Sends the text as the cell's new value. Returns false if it is refused: the text stays and the message says
// why.
bool commit(Frame& frame) {
  MatrixGridState& state = frame.state;
  const ParsedNumber parsed = parse_number_for(frame.options.input.kind, state.text, frame.selected_value());
  if (!parsed.value) {
    state.message = parsed.message;
    return false;
  }
  if (*parsed.value != frame.selected_value())
    frame.send(state.selection.row, state.selection.column, Matrix::Constant(1, 1, *parsed.value));
  close_editor(state);
  return true;
}

// Sends the text as the new value of all selected cells.
void commit_to_all(Frame& frame) {
  MatrixGridState& state = frame.state;
  const GridRange range = frame.range();
  RangeResult result = operate(frame.options.input.kind, frame.block(range), RangeOperation::Set, state.text);
  if (!result.values) {
    state.message = result.message;
    return ask_for_focus(state, true);
  }
  frame.send(range.row, range.column, *std::move(result.values));
  close_editor(state);
}

// A field opened by typing has its caret after the typed text; one opened on the old value has all of it
// selected, so that typing replaces it.
int place_caret(ImGuiInputTextCallbackData* data) {
  auto* state = static_cast<MatrixGridState*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && !state->editor_active) {
    data->CursorPos = data->BufTextLen;
    data->SelectionStart = state->caret_at_end ? data->BufTextLen : 0;
    data->SelectionEnd = data->BufTextLen;
  }
  return 0;
}

// Draws ImGui's text field over the cell. Returns whether the text changed.
bool text_field(Frame& frame, const Rect& rect) {
  MatrixGridState& state = frame.state;
  const Theme& theme = frame.ui.theme;
  std::array<char, kLongestText> buffer{};
  state.text.copy(buffer.data(), buffer.size() - 1);

  push_font(theme.fonts.number);
  const float text_width = ImGui::CalcTextSize(buffer.data()).x + theme.px(20);
  const float width = std::max(static_cast<float>(rect.width), text_width);
  ImVec2 position = top_left(rect);
  position.x = std::max(frame.layout.body_min.x, std::min(position.x, frame.layout.view_max.x - width));
  ImGui::SetCursorScreenPos(position);
  ImGui::SetNextItemWidth(std::min(width, frame.layout.view_max.x - position.x));
  const float padding = (static_cast<float>(rect.height) - ImGui::GetFontSize()) / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {theme.px(6), padding});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, to_imgui(theme.panel));
  state.focus.before_item();
  // CallbackCompletion keeps ImGui from moving to the next widget on Tab, which moves to the next cell here.
  constexpr ImGuiInputTextFlags kFlags =
      ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackCompletion;
  const bool changed =
      ImGui::InputText("##editor", buffer.data(), buffer.size(), kFlags, place_caret, &state);
  state.focus.after_item();
  state.text = buffer.data();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  frame.ui.probe.mark(frame.name("editor"), state.text);
  return changed;
}

// A message below (or above) a rectangle, in the foreground: the grid's window may be too small for it.
void message_beside(const Frame& frame, ImVec2 min, ImVec2 max, const std::string& message) {
  const Theme& theme = frame.ui.theme;
  ImDrawList* front = ImGui::GetForegroundDrawList();
  constexpr std::size_t kLongestMessage = 500;  // bytes: it may contain pasted text
  const std::string shown = capped(message, kLongestMessage);
  const char* text = shown.c_str();
  const float padding = theme.px(8);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float wrap = std::min(theme.px(300), display.x - 4 * padding);
  push_font(theme.fonts.label);
  const ImVec2 size = ImGui::CalcTextSize(text, nullptr, false, wrap);
  ImVec2 at = {std::min(min.x, display.x - size.x - 3 * padding), max.y + theme.px(4)};
  if (at.y + size.y + 2 * padding > display.y) at.y = min.y - size.y - 2 * padding - theme.px(4);
  const ImVec2 end = {at.x + size.x + 2 * padding, at.y + size.y + 2 * padding};
  front->AddRectFilled(at, end, to_imgui(theme.raised), theme.px(4));
  front->AddRect(at, end, to_imgui(theme.error), theme.px(4));
  front->AddText(ImGui::GetFont(), ImGui::GetFontSize(), {at.x + padding, at.y + padding},
                 to_imgui(theme.text), text, nullptr, wrap);
  ImGui::PopFont();
  ImGui::PushClipRect({0, 0}, display, false);  // it may be outside of the grid's window
  frame.ui.probe.mark_rect(frame.name("message"), {at.x, at.y, end.x - at.x, end.y - at.y}, message);
  ImGui::PopClipRect();
}

// The frame of the open editor, and the error in its text.
void draw_editor_state(const Frame& frame) {
  const Theme& theme = frame.ui.theme;
  const bool refused = !frame.state.message.empty();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 color = to_imgui(refused ? theme.error : theme.accent);
  draw->AddRect(min, max, color);
  draw->AddRectFilled({min.x, max.y - theme.px(2)}, max, color);
  if (refused) message_beside(frame, min, max, frame.state.message);
}

// In the status bar, while a cell is typed into: what it takes.
void note_entry(const Frame& frame) {
  const GridRange range = frame.range();
  frame.ui.view.selection.note = "a number or arithmetic: 1/3, sqrt(2), x*2 with x the old number";
  if (range.rows * range.columns > 1) frame.ui.view.selection.note += "  ·  Ctrl+Enter: into all selected";
}

void commit_and_move(Frame& frame, Index down, Index right) {
  if (!commit(frame)) return ask_for_focus(frame.state, true);
  const GridSelection& selection = frame.selection();
  select_cell(frame.state, std::min(selection.row + down, frame.matrix.rows() - 1),
              std::clamp<Index>(selection.column + right, 0, frame.matrix.cols() - 1));
}

}  // namespace

void close_editor(MatrixGridState& state) {
  state.editing = false;
  state.editor_active = false;
  state.focus = {};
  state.message.clear();
  state.tooltip_hidden = true;  // the pointer is still where the editing began
}

void open_editor(Frame& frame) {
  begin_editing(frame, exact_number_text(frame.selected_value()), false);
}

void edit_typed(Frame& frame) {
  const std::string typed = typed_text();
  if (typed.empty() || !begins_entry(typed.front())) return;
  begin_editing(frame, typed, true);
  ImGui::GetIO().InputQueueCharacters.resize(0);
}

void show_editor(Frame& frame) {
  MatrixGridState& state = frame.state;
  if (!state.editing) return;
  if (!(state.edited == frame.options.input)) return close_editor(state);
  const bool escape = key_pressed(Key::Escape), enter = key_pressed(Key::Enter), tab = key_pressed(Key::Tab);
  const bool was_active = state.editor_active;
  // The key press that opened the field must not close it at once.
  const bool listening = (was_active || state.focused) && state.opened_frame != ImGui::GetFrameCount();
  if (state.focus.waiting && !was_active) take_early_text(state);
  note_entry(frame);

  ImGui::PushClipRect(frame.layout.body_min, frame.layout.view_max, true);
  if (text_field(frame, frame.layout.cell_rect(state.selection.row, state.selection.column)))
    state.message.clear();
  state.editor_active = ImGui::IsItemActive();
  draw_editor_state(frame);
  ImGui::PopClipRect();

  if (escape && listening) {
    close_editor(state);
  } else if (enter && listening && ctrl_held()) {
    commit_to_all(frame);
  } else if ((enter || tab) && listening) {
    commit_and_move(frame, enter ? 1 : 0, enter ? 0 : shift_held() ? -1 : 1);
  } else if (was_active && !state.editor_active && !commit(frame)) {
    state.refused_click = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  }
}

void show_notice(Frame& frame) {
  std::string& notice = frame.state.notice;
  if (notice.empty()) return;
  const bool click =
      ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::IsMouseClicked(ImGuiMouseButton_Right);
  if (click || key_pressed(Key::Escape) || !frame.state.focused) return notice.clear();
  const GridRange range = frame.range();
  const Rect rect = frame.layout.visible_rect(range.row, range.column);
  message_beside(frame, top_left(rect), bottom_right(rect), notice);
}

}  // namespace headlight::grid
