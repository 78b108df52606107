// Pointer input of a matrix grid: selecting, scrubbing a value by dragging, the menu, and the tooltip.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/figure/plan/heatmap_figure.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/text_glyphs.h"
#include "app/ui/inputs/matrix_grid_parts.h"
#include "app/ui/widgets/widgets.h"

namespace headlight::grid {
namespace {

constexpr float kPixelsPerStep = 4;
constexpr double kTooltipDelaySeconds = 0.6;
// Gestures of grids have this bit, which separates them from those of other widgets. The rest is the
// document's revision, which grows before the next gesture can begin.
constexpr std::uint64_t kGridGesture = std::uint64_t{1} << 62;

// From 1 on by tenths, so that a number of any usual size changes visibly under the hand.
double scrub_step(float original) {
  const double step = std::abs(original) >= 1 ? 0.1 : 0.01;
  if (shift_held()) return step / 10;
  return ctrl_held() ? step * 10 : step;
}

// The decimal number on screen: 0.43 rather than 0.4300000071525574, the float32 value.
double decimal_value(float value) {
  const std::string text = exact_number_text(value);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

void send_value(Frame& frame, float value) {
  if (value == frame.selected_value()) return;
  const MatrixGridState& state = frame.state;
  frame.ui.send(SetCells{frame.options.input, state.selection.row, state.selection.column,
                         Matrix::Constant(1, 1, value), state.gesture});
}

void anchor_scrub(MatrixGridState& state, double value, float x) {
  state.scrub_start_value = value;
  state.scrub_start_x = x;
  state.scrub_step = scrub_step(state.scrub_original);
}

void press(Frame& frame, GridLayout::Cell cell) {
  MatrixGridState& state = frame.state;
  if (state.editing) {
    // The click that took the keyboard from refused text keeps that text for correction; the next one
    // discards it.
    if (state.refused_click) return;
    close_editor(state);
  }
  state.scrubbing = false;
  if (shift_held()) {
    state.selection.span = GridSpan::Cells;
    state.selection.on_label = false;
    state.selection.extend(cell.row, cell.column);
    state.selecting = MatrixGridState::Selecting::Cells;
    return;
  }
  select_cell(state, cell.row, cell.column);
  state.scrub_cancelled = false;
  state.scrub_original = frame.selected_value();
  state.scrub_start_x = ImGui::GetIO().MousePos.x;
}

void scrub(Frame& frame) {
  MatrixGridState& state = frame.state;
  const float step_px = frame.ui.theme.px(kPixelsPerStep);
  const float x = ImGui::GetIO().MousePos.x;
  if (state.scrub_cancelled) return;
  if (state.scrubbing && key_pressed(Key::Escape)) {
    send_value(frame, state.scrub_original);
    state.scrubbing = false;
    state.scrub_cancelled = true;
    return;
  }
  if (!state.scrubbing) {
    if (std::abs(x - state.scrub_start_x) < step_px) return;
    state.scrubbing = true;
    state.gesture = kGridGesture | frame.ui.document.revision();
    anchor_scrub(state, decimal_value(state.scrub_original), state.scrub_start_x);
  }
  // A changed step size continues from the value reached so far.
  if (state.scrub_step != scrub_step(state.scrub_original))
    anchor_scrub(state, decimal_value(frame.selected_value()), x);
  const double steps = std::trunc((x - state.scrub_start_x) / step_px);
  send_value(frame, static_cast<float>(state.scrub_start_value + steps * state.scrub_step));
}

std::string label_of(std::span<const std::string> labels, Index at, Counting counting) {
  return labels.empty() ? counting.number(at) : token_name(labels, at, counting);
}

void show_tooltip(Frame& frame, GridLayout::Cell cell) {
  const MatrixGridState& state = frame.state;
  const Theme& theme = frame.ui.theme;
  const Counting counting = frame.ui.counting();
  const std::string place = label_of(frame.options.row_labels, cell.row, counting) + ", " +
                            label_of(frame.options.column_labels, cell.column, counting);
  place_tooltip(frame.ui, {theme.px(320), theme.px(128)}, frame.layout.visible_rect(cell.row, cell.column));
  ImGui::BeginTooltip();
  push_font(theme.fonts.label);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(theme.quiet_text));
  ImGui::TextUnformatted(drawn_text(place).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  push_font(theme.fonts.number);
  ImGui::TextUnformatted(exact_number_text(frame.matrix(cell.row, cell.column)).c_str());
  ImGui::PopFont();
  if (frame.options.input.kind != InputKind::Mask && !state.scrubbing) {
    push_font(theme.fonts.label);
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(theme.quiet_text));
    ImGui::TextUnformatted(
        "Type a number or 1/3; x is the old number.\nDrag sideways: 0.01 a step, then Shift 0.001, Ctrl "
        "0.1.\n"
        "Shift+click selects a range.");
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  ImGui::EndTooltip();
}

void hover(Frame& frame, GridLayout::Cell cell, bool pressed) {
  MatrixGridState& state = frame.state;
  const double now = ImGui::GetTime();
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (moved.x != 0 || moved.y != 0) state.tooltip_hidden = false;
  if (cell.row != state.hover_row || cell.column != state.hover_column || pressed) state.hover_since = now;
  state.hover_row = cell.row;
  state.hover_column = cell.column;
  if (cell.row < 0 || state.editing || pressed || state.tooltip_hidden || !state.notice.empty()) return;
  const double left = kTooltipDelaySeconds - (now - state.hover_since);
  if (left <= 0) return show_tooltip(frame, cell);
  frame.ui.wake_within(left);
}

// While the button is down, extends the selection to the cell under the pointer, or to the next one beyond
// the edge.
void continue_selecting(Frame& frame) {
  using Selecting = MatrixGridState::Selecting;
  MatrixGridState& state = frame.state;
  if (state.selecting == Selecting::No) return;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    state.selecting = Selecting::No;
    return;
  }
  const GridLayout& layout = frame.layout;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const GridLayout::Cell cell = layout.nearest_cell(at);
  GridSelection& selection = state.selection;
  if (selection.far_row == cell.row && selection.far_column == cell.column) return;
  const bool along_rows = state.selecting != Selecting::Columns,
             along_columns = state.selecting != Selecting::Rows;
  selection.extend(along_rows ? cell.row : selection.far_row,
                   along_columns ? cell.column : selection.far_column);
  state.reveal = true;
  const bool outside_rows = along_rows && (at.y < layout.body_min.y || at.y >= layout.body_max.y);
  const bool outside_columns = along_columns && (at.x < layout.body_min.x || at.x >= layout.body_max.x);
  constexpr double kSecondsPerCell = 0.03;
  if (outside_rows || outside_columns) frame.ui.wake_within(kSecondsPerCell);
}

// A right click outside the selection selects the cell first.
void request_menu(Frame& frame, GridLayout::Cell cell) {
  MatrixGridState& state = frame.state;
  if (cell.row < 0 || state.editing) return;
  if (!frame.range().contains(cell.row, cell.column)) select_cell(state, cell.row, cell.column);
  state.menu_opens = true;
}

}  // namespace

void handle_pointer(Frame& frame) {
  MatrixGridState& state = frame.state;
  const GridLayout& layout = frame.layout;
  const ImVec2 size = {layout.body_max.x - layout.body_min.x, layout.body_max.y - layout.body_min.y};
  if (size.x < 1 || size.y < 1) return;
  ImGui::SetCursorScreenPos(layout.body_min);
  click_area("##cells", size);
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  const GridLayout::Cell cell = hovered ? layout.cell_at(ImGui::GetIO().MousePos) : GridLayout::Cell{};
  if (ImGui::IsItemActivated() && cell.row >= 0) press(frame, cell);
  const bool selecting = state.selecting != MatrixGridState::Selecting::No;
  const bool scrubs = frame.options.input.kind != InputKind::Mask && !state.editing && !selecting;
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && !state.editing &&
      cell == GridLayout::Cell{state.selection.row, state.selection.column}) {
    open_editor(frame);
  } else if (active && scrubs) {
    scrub(frame);
  }
  if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) request_menu(frame, cell);
  continue_selecting(frame);
  if (!active) state.scrubbing = false;
  state.refused_click = false;
  const bool points_at_scrub = hovered && !active && !shift_held();
  if (scrubs && (state.scrubbing || points_at_scrub)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  hover(frame, cell, active);
}

}  // namespace headlight::grid
