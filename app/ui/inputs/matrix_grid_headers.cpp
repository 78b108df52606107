// Column header and row labels of a grid: drawing, and presses that select complete columns and rows.
#include <algorithm>
#include <cmath>

#include "app/platform/imgui_compat.h"
#include "app/ui/inputs/matrix_grid_parts.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight::grid {
namespace {

using Selecting = MatrixGridState::Selecting;

bool in_columns(const Frame& frame, Index column) {
  const GridRange range = frame.range();
  return !frame.selection().on_label && column >= range.column && column < range.end_column();
}

void draw_header(const Frame& frame) {
  const auto& [ui, state, options, matrix, layout] = frame;
  const Theme& theme = ui.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect({layout.body_min.x, layout.view_min.y}, {layout.body_max.x, layout.body_min.y}, true);
  push_font(theme.fonts.label);
  for (Index column = layout.first_column; column < layout.end_column; ++column) {
    const Rect rect = layout.header_rect(column);
    const float room = layout.sizes.cell_width - theme.px(4);
    const std::string label =
        options.column_labels.empty()
            ? ui.counting().number(column)
            : elided(visible_label(options.column_labels[static_cast<std::size_t>(column)]), room);
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    const auto x = static_cast<float>(rect.x + (rect.width - size.x) / 2);
    const auto y = static_cast<float>(rect.y + (rect.height - size.y) / 2);
    const bool chosen = frame.attended() && in_columns(frame, column);
    if (chosen && state.selection.span == GridSpan::Columns)
      draw->AddRectFilled({static_cast<float>(rect.x), layout.body_min.y - theme.px(2)},
                          {static_cast<float>(rect.right()), layout.body_min.y}, to_imgui(theme.accent));
    draw->AddText({std::floor(x), std::floor(y)}, to_imgui(chosen ? theme.text : theme.quiet_text),
                  label.c_str());
    ui.probe.mark_rect(options.name + ".column[" + std::to_string(column) + "]", rect, label);
  }
  ImGui::PopFont();
  draw->PopClipRect();
}

// A click selects a column, Shift or dragging extends, the right button opens the menu.
void press_header(Frame& frame) {
  const GridLayout& layout = frame.layout;
  const ImVec2 min = {layout.body_min.x, layout.view_min.y};
  ImGui::SetCursorScreenPos(min);
  click_area("##header", {layout.body_max.x - min.x, layout.body_min.y - min.y});
  const bool right = ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
  if (!ImGui::IsItemActivated() && !right) return;
  const Index column = layout.nearest_cell(ImGui::GetIO().MousePos).column;
  GridSelection& selection = frame.selection();
  const bool whole = selection.span == GridSpan::Columns;
  if (right) {
    if (!whole || !in_columns(frame, column)) selection.select_columns(column, column);
    frame.state.menu_opens = true;
    return;
  }
  if (shift_held())
    selection.select_columns(selection.column, column);
  else
    selection.select_columns(column, column);
  frame.state.selecting = Selecting::Columns;
}

// The corner between header and labels selects everything.
void press_corner(Frame& frame) {
  const GridLayout& layout = frame.layout;
  ImGui::SetCursorScreenPos(layout.view_min);
  click_area("##corner", {layout.body_min.x - layout.view_min.x, layout.body_min.y - layout.view_min.y});
  frame.ui.probe.mark(frame.name("all"));
  if (ImGui::IsItemActivated()) frame.selection().select_all(frame.matrix.rows(), frame.matrix.cols());
}

// As press_header, for numbered rows: other rows have an item on each label.
void press_labels(Frame& frame) {
  const GridLayout& layout = frame.layout;
  ImGui::SetCursorScreenPos({layout.view_min.x, layout.body_min.y});
  click_area("##labels", {layout.body_min.x - layout.view_min.x, layout.body_max.y - layout.body_min.y});
  const bool right = ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
  if (!ImGui::IsItemActivated() && !right) return;
  const Index row = layout.nearest_cell(ImGui::GetIO().MousePos).row;
  GridSelection& selection = frame.selection();
  const GridRange range = frame.range();
  if (right) {
    const bool inside = selection.span == GridSpan::Rows && row >= range.row && row < range.end_row();
    if (!inside) selection.select_rows(row, row);
    frame.state.menu_opens = true;
    return;
  }
  selection.select_rows(shift_held() ? selection.row : row, row);
  frame.state.selecting = Selecting::Rows;
}

void draw_label(const Frame& frame, Index row, const Rect& rect) {
  const auto& [ui, state, options, matrix, layout] = frame;
  const Theme& theme = ui.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 min = top_left(rect), max = bottom_right(rect);
  const GridRange range = frame.range();
  const bool inside = row >= range.row && row < range.end_row();
  const bool chosen = inside && state.selection.span == GridSpan::Rows;
  const double bar = std::max(2.0f, std::floor(theme.px(2)));
  if (row == options.marked_row || chosen) {
    draw->AddRectFilled(min, {max.x - theme.px(2), max.y}, to_imgui(theme.raised), theme.px(2));
    draw->AddRectFilled(min, {min.x + static_cast<float>(bar), max.y}, to_imgui(theme.accent));
  }
  const bool named = !options.row_labels.empty();
  push_font(named ? theme.fonts.text : theme.fonts.label);
  const float room = layout.sizes.label_width - 2 * theme.px(kLabelPadding) - options.label_room_px;
  const std::string position = options.row_positions ? " " + token_name({}, row, ui.counting()) : "";
  const float room_for_label = room - text_width(ImGui::GetFont(), position);
  const std::string text =
      named ? elided(visible_label(options.row_labels[static_cast<std::size_t>(row)]), room_for_label)
            : ui.counting().number(row);
  const bool current = named || (state.focused && inside);
  const Rect whole = layout.cell_rect(row, 0);
  const auto y = static_cast<float>(whole.y + (whole.height - ImGui::GetFontSize()) / 2);
  draw->AddText({min.x + theme.px(kLabelPadding), std::floor(y)},
                to_imgui(current ? theme.text : theme.quiet_text), text.c_str());
  if (options.row_positions)
    draw->AddText({min.x + theme.px(kLabelPadding) + text_width(ImGui::GetFont(), text), std::floor(y)},
                  to_imgui(theme.quiet_text), position.c_str());
  ImGui::PopFont();
  ui.probe.mark_rect(options.name + ".row[" + std::to_string(row) + "]", rect, text);
}

}  // namespace

void show_header(Frame& frame) {
  const GridLayout& layout = frame.layout;
  if (layout.body_max.x - layout.body_min.x < 1) return;
  press_header(frame);
  press_corner(frame);
  draw_header(frame);
}

void show_labels(Frame& frame) {
  const GridLayout& layout = frame.layout;
  if (layout.body_max.y - layout.body_min.y < 1) return;
  ImGui::PushClipRect({layout.view_min.x, layout.body_min.y}, {layout.body_min.x, layout.body_max.y}, true);
  if (!frame.options.row_item) press_labels(frame);
  for (Index row = layout.first_row; row < layout.end_row; ++row) {
    const Rect rect = layout.label_rect(row);
    if (rect.height < 1) continue;
    draw_label(frame, row, rect);
    if (frame.options.row_item) frame.options.row_item(row, rect);
  }
  ImGui::PopClipRect();
}

}  // namespace headlight::grid
