// Draws the cells of a matrix grid and the bars beside each row.
#include <algorithm>
#include <cmath>

#include "app/ui/context/input_gradient.h"
#include "app/ui/inputs/matrix_grid_parts.h"

namespace headlight::grid {
namespace {

// The x at which a cell's text begins, so that decimal points are in one column.
float text_x(const GridMeasure& measure, const std::string& text, const Rect& cell, float padding,
             float digit) {
  const NumberWidth width = number_width(text);
  const bool point = text.find_first_of("0123456789") != std::string::npos;  // NaN and inf have none
  const bool aligned = point && text.find('e') == std::string::npos;
  const int behind = aligned ? measure.width.after : 0;
  const auto right = static_cast<float>(cell.right()) - padding;
  return std::floor(right - static_cast<float>(width.before + behind) * digit);
}

float hairline(const Theme& theme) {
  return std::max(1.0f, std::floor(theme.scale));
}

void outline(const Rect& rect, float gap, float thickness, ImU32 color) {
  const ImVec2 min = top_left(rect), max = {bottom_right(rect).x - gap, bottom_right(rect).y - gap};
  for (float inset = 0; inset < thickness; inset += 1)
    ImGui::GetWindowDrawList()->AddRect({min.x + inset, min.y + inset}, {max.x - inset, max.y - inset},
                                        color);
}

void draw_selection(const Frame& frame) {
  const Theme& theme = frame.ui.theme;
  const GridRange range = frame.range();
  const float gap = hairline(theme);
  // If the keyboard is elsewhere, the outline only shows the cursor and does not have the selection's colour.
  const ImU32 accent = frame.attended() ? to_imgui(theme.accent) : to_imgui(theme.quiet_text, 0.6);
  if (range.size() > 1 || frame.selection().on_label) {
    Rect all = frame.layout.cell_rect(range.row, range.column);
    all.width *= static_cast<double>(range.columns);
    all.height *= static_cast<double>(range.rows);
    outline(all, gap, gap, accent);
  }
  if (!frame.selection().on_label)
    outline(frame.layout.cell_rect(frame.selection().row, frame.selection().column), gap, 2 * gap, accent);
}

void draw_lit_cell(const Frame& frame) {
  const Index row = frame.options.lit_row, column = frame.options.lit_column;
  if (row < 0 || column < 0 || row >= frame.matrix.rows() || column >= frame.matrix.cols()) return;
  const float gap = hairline(frame.ui.theme);
  const Rect cell = frame.layout.cell_rect(row, column);
  outline(cell, gap, 2 * gap, to_imgui(frame.ui.theme.accent));
  frame.ui.probe.mark_rect(frame.options.name + ".lit", cell,
                           std::to_string(row) + "," + std::to_string(column));
}

// A small arrow that says which way lowers the loss: up for a larger number. Its size is that of the gradient
// beside the largest of the matrix.
void draw_gradient_arrow(const Frame& frame, Index row, Index column, float gradient, float largest) {
  if (!(largest > 0) || gradient == 0 || !std::isfinite(gradient)) return;
  const Theme& theme = frame.ui.theme;
  const float share = std::abs(gradient) / largest, least = theme.px(2);
  const float half = std::max(least, theme.px(4) * std::sqrt(share));
  const Rect cell = frame.layout.cell_rect(row, column);
  const auto x = static_cast<float>(cell.x) + theme.px(6), y = static_cast<float>(cell.y + cell.height / 2);
  const float tip = gradient < 0 ? -half : half;
  frame.ui.probe.mark_rect(
      frame.name("arrow") + "[" + std::to_string(row) + "," + std::to_string(column) + "]", cell,
      gradient < 0 ? "up" : "down");
  ImGui::GetWindowDrawList()->AddTriangleFilled({x - half * 0.8f, y - tip * 0.6f},
                                                {x + half * 0.8f, y - tip * 0.6f}, {x, y + tip},
                                                to_imgui(theme.text));
}

// The value of a bar over the cells [begin, end) of a row: the one furthest from zero.
float furthest(const Frame& frame, Index row, Index begin, Index end) {
  float value = 0;
  for (Index column = begin; column < end; ++column)
    if (std::abs(frame.matrix(row, column)) > std::abs(value)) value = frame.matrix(row, column);
  return value;
}

}  // namespace

void draw_cells(const Frame& frame) {
  const auto& [ui, state, options, matrix, layout] = frame;
  const Theme& theme = ui.theme;
  const GridRange range = frame.range();
  const bool several = range.size() > 1 || state.selection.on_label;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(layout.body_min, layout.body_max, true);
  draw->AddRectFilled(layout.body_min, layout.body_max, to_imgui(theme.line, 0.6));
  push_font(theme.fonts.number);
  const ImVec2 digit = ImGui::CalcTextSize("0");
  const float gap = hairline(theme), largest = state.measure.largest;
  const ImU32 text_color = to_imgui(theme.text);
  const Matrix* const gradients = input_gradient(ui, options.input);
  const float steepest = gradients ? gradients->lpNorm<Eigen::Infinity>() : 0;
  for (Index row = layout.first_row; row < layout.end_row; ++row) {
    for (Index column = layout.first_column; column < layout.end_column; ++column) {
      const Rect cell = layout.cell_rect(row, column);
      const float value = matrix(row, column);
      const ImVec2 min = top_left(cell), max = bottom_right(cell);
      const auto& tints = several && range.contains(row, column) ? state.tints.selected : state.tints.plain;
      const bool tinted = largest > 0 && std::isfinite(value) && std::isfinite(largest);
      draw->AddRectFilled(min, {max.x - gap, max.y - gap}, tint_at(tints, tinted ? value / largest : 0));
      const std::string text = cell_text(value);
      const float y = std::floor(min.y + (static_cast<float>(cell.height) - gap - digit.y) / 2);
      draw->AddText({text_x(state.measure, text, cell, theme.px(kCellPadding), digit.x), y}, text_color,
                    text.c_str());
      if (gradients) draw_gradient_arrow(frame, row, column, (*gradients)(row, column), steepest);
      ui.probe.mark_rect(options.name + "[" + std::to_string(row) + "," + std::to_string(column) + "]",
                         layout.visible_rect(row, column), text);
    }
  }
  ImGui::PopFont();
  draw_selection(frame);
  draw_lit_cell(frame);
  draw->PopClipRect();
}

void draw_row_bars(const Frame& frame) {
  const auto& [ui, state, options, matrix, layout] = frame;
  const float room = layout.sizes.bars_width - ui.theme.px(8), largest = state.measure.largest;
  const float least_bar = ui.theme.px(2);
  if (room < least_bar || largest <= 0) return;
  const Index bars = std::min<Index>(matrix.cols(), static_cast<Index>(room / least_bar));
  const float step = std::min(room / static_cast<float>(bars), ui.theme.px(8));
  const float gap = step >= ui.theme.px(3) ? hairline(ui.theme) : 0;
  const float left = layout.body_max.x + ui.theme.px(8);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect({left, layout.body_min.y}, {left + room, layout.body_max.y}, true);
  for (Index row = layout.first_row; row < layout.end_row; ++row) {
    const Rect cell = layout.cell_rect(row, 0);
    const auto middle = static_cast<float>(cell.y + cell.height / 2);
    const float half = static_cast<float>(cell.height) / 2 - ui.theme.px(3);
    draw->AddLine({left, middle}, {left + step * static_cast<float>(bars), middle}, to_imgui(ui.theme.line));
    for (Index bar = 0; bar < bars; ++bar) {
      const float value = furthest(frame, row, bar * matrix.cols() / bars, (bar + 1) * matrix.cols() / bars);
      if (value == 0) continue;
      const float x = left + step * static_cast<float>(bar), end = middle - half * value / largest;
      draw->AddRectFilled({x, std::min(middle, end)}, {x + step - gap, std::max(middle, end) + 1},
                          value < 0 ? state.tints.negative_bar : state.tints.positive_bar);
    }
  }
  draw->PopClipRect();
  ui.probe.mark_rect(options.name + ".bars",
                     {left, layout.body_min.y, room, layout.body_max.y - layout.body_min.y});
}

}  // namespace headlight::grid
