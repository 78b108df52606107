#include "app/ui/matrix_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/colormap.h"
#include "app/platform/imgui_compat.h"
#include "app/ui/matrix_grid_parts.h"
#include "app/ui/text_fit.h"

namespace headlight {
namespace grid {
namespace {

constexpr float kRowHeight = 24, kHeaderHeight = 20, kCellPadding = 8;
constexpr float kLeastCellWidth = 56, kStretchedCellWidth = 88;
constexpr float kLeastLabelWidth = 32, kMostLabelWidth = 120, kLabelPadding = 8;
constexpr double kStrongestTint = 0.45;
constexpr double kLeastContrast = 4.5;
constexpr int kTints = 65;

void measure(const UiContext& ui, MatrixGridState& state, const InputId& input, const Matrix& matrix) {
  GridMeasure& measure = state.measure;
  if (measure.revision == ui.document.revision() && measure.input == input) return;
  measure = {ui.document.revision(), input, number_width(matrix), matrix.cwiseAbs().maxCoeff()};
}

void clamp_selection(MatrixGridState& state, const Matrix& matrix) {
  if (state.editing && (state.row >= matrix.rows() || state.column >= matrix.cols())) close_editor(state);
  state.row = std::clamp<Index>(state.row, 0, matrix.rows() - 1);
  state.column = std::clamp<Index>(state.column, 0, matrix.cols() - 1);
}

float label_width(const Theme& theme, const MatrixGridOptions& options, Index rows) {
  float widest = theme.px(kLeastLabelWidth) - 2 * theme.px(kLabelPadding);
  ImGui::PushFont(options.row_labels.empty() ? theme.fonts.label : theme.fonts.text);
  if (options.row_labels.empty())
    widest = std::max(widest, ImGui::CalcTextSize(std::to_string(rows).c_str()).x);
  const float most = theme.px(kMostLabelWidth);
  for (const std::string& label : options.row_labels) {
    if (widest >= most) break;
    widest = std::max(widest, ImGui::CalcTextSize(label.c_str()).x);
  }
  ImGui::PopFont();
  return std::ceil(std::min(widest, most) + 2 * theme.px(kLabelPadding) + options.label_room_px);
}

GridSizes grid_sizes(const UiContext& ui, const MatrixGridState& state, const MatrixGridOptions& options,
                     const Matrix& matrix, float width) {
  const Theme& theme = ui.theme;
  GridSizes sizes;
  sizes.row_height = theme.px(kRowHeight);
  sizes.header_height = theme.px(kHeaderHeight);
  sizes.label_width = label_width(theme, options, matrix.rows());
  ImGui::PushFont(theme.fonts.number);
  const float digits = ImGui::CalcTextSize("0").x * static_cast<float>(state.measure.width.total());
  ImGui::PopFont();
  const float needed = std::max(theme.px(kLeastCellWidth), digits + 2 * theme.px(kCellPadding));
  const float even = (width - sizes.label_width) / static_cast<float>(matrix.cols());
  sizes.cell_width = std::floor(std::max(needed, std::min(even, theme.px(kStretchedCellWidth))));
  return sizes;
}

// The size of the grid's window: no larger than its content, and with room for the scroll bars that it needs.
struct ChildSize {
  float width = 0, height = 0;
  bool across = false, down = false;  // which scroll bars there are
};
ChildSize child_size(ImVec2 content, float width, float max_height) {
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const float limit = max_height > 0 ? std::floor(max_height) : content.y + bar;
  ChildSize size;
  size.across = content.x > width;
  size.down = content.y + (size.across ? bar : 0) > limit;
  size.across = content.x + (size.down ? bar : 0) > width;
  size.height = std::min(limit, content.y + (size.across ? bar : 0));
  size.width = std::min(width, content.x + (size.down ? bar : 0));
  return size;
}

using Tints = std::array<ImU32, kTints>;

// Blue - panel - orange, as strong as the text in front of it can bear.
Tints make_tints(const Theme& theme) {
  const Colormap map = Colormap::diverging(theme.panel);
  Tints tints;
  for (int i = 0; i < kTints; ++i) {
    double strength = kStrongestTint;
    Color tint = theme.panel;
    do {
      tint = mix(theme.panel, map.at(static_cast<double>(i) / (kTints - 1)), strength);
      strength -= 0.05;
    } while (strength > 0 && contrast(tint, theme.text) < kLeastContrast);
    tints[static_cast<std::size_t>(i)] = to_imgui(tint);
  }
  return tints;
}

ImU32 tint_of(const Tints& tints, float value, float largest) {
  const float share = largest > 0 ? value / largest : 0;  // -1 to 1
  const auto at = static_cast<int>(std::lround((share + 1) / 2 * (kTints - 1)));
  return tints[static_cast<std::size_t>(std::clamp(at, 0, kTints - 1))];
}

// The x at which a cell's text begins, so that decimal points stand in one column.
float text_x(const GridMeasure& measure, const std::string& text, const Rect& cell, float padding,
             float digit) {
  const NumberWidth width = number_width(text);
  const bool aligned = text.find('e') == std::string::npos;
  const int behind = aligned ? measure.width.after : 0;
  const auto right = static_cast<float>(cell.right()) - padding;
  return std::floor(right - static_cast<float>(width.before + behind) * digit);
}

void draw_cells(const Frame& frame) {
  const auto& [ui, state, options, matrix, layout] = frame;
  const Theme& theme = ui.theme;
  const Tints tints = make_tints(theme);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(layout.body_min, layout.body_max, true);
  draw->AddRectFilled(layout.body_min, layout.body_max, to_imgui(theme.line, 0.6));
  ImGui::PushFont(theme.fonts.number);
  const ImVec2 digit = ImGui::CalcTextSize("0");
  const float gap = std::max(1.0f, std::floor(theme.scale));
  const ImU32 text_color = to_imgui(theme.text);
  for (Index row = layout.first_row; row < layout.end_row; ++row) {
    for (Index column = layout.first_column; column < layout.end_column; ++column) {
      const Rect cell = layout.cell_rect(row, column);
      const float value = matrix(row, column);
      const ImVec2 min = top_left(cell), max = bottom_right(cell);
      draw->AddRectFilled(min, {max.x - gap, max.y - gap}, tint_of(tints, value, state.measure.largest));
      const std::string text = cell_text(value);
      const float y = std::floor(min.y + (static_cast<float>(cell.height) - gap - digit.y) / 2);
      draw->AddText({text_x(state.measure, text, cell, theme.px(kCellPadding), digit.x), y}, text_color,
                    text.c_str());
      ui.probe.mark_rect(options.name + "[" + std::to_string(row) + "," + std::to_string(column) + "]",
                         layout.visible_rect(row, column), text);
    }
  }
  ImGui::PopFont();
  if (!state.on_label) {
    const Rect chosen = layout.cell_rect(state.row, state.column);
    const ImU32 accent = to_imgui(theme.accent, state.focused ? 1.0 : 0.5);
    const ImVec2 max = {bottom_right(chosen).x - gap, bottom_right(chosen).y - gap};
    for (float inset = 0; inset < 2 * gap; inset += 1) {
      const ImVec2 min = top_left(chosen);
      draw->AddRect({min.x + inset, min.y + inset}, {max.x - inset, max.y - inset}, accent);
    }
  }
  draw->PopClipRect();
}

void draw_header(const Frame& frame) {
  const auto& [ui, state, options, matrix, layout] = frame;
  const Theme& theme = ui.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect({layout.body_min.x, layout.view_min.y}, {layout.body_max.x, layout.body_min.y}, true);
  ImGui::PushFont(theme.fonts.label);
  for (Index column = layout.first_column; column < layout.end_column; ++column) {
    const Rect rect = layout.header_rect(column);
    const std::string label = options.column_labels.empty()
                                  ? std::to_string(column + 1)
                                  : options.column_labels[static_cast<std::size_t>(column)];
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    const auto x = static_cast<float>(rect.x + (rect.width - size.x) / 2);
    const auto y = static_cast<float>(rect.y + (rect.height - size.y) / 2);
    const bool chosen = state.focused && !state.on_label && column == state.column;
    draw->AddText({std::floor(x), std::floor(y)}, to_imgui(chosen ? theme.text : theme.quiet_text),
                  label.c_str());
  }
  ImGui::PopFont();
  draw->PopClipRect();
}

void draw_label(const Frame& frame, Index row, const Rect& rect) {
  const auto& [ui, state, options, matrix, layout] = frame;
  const Theme& theme = ui.theme;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 min = top_left(rect), max = bottom_right(rect);
  const bool chosen = state.on_label && row == state.row;
  const double bar = std::max(2.0f, std::floor(theme.px(2)));
  if (row == options.marked_row || chosen) {
    draw->AddRectFilled(min, {max.x - theme.px(2), max.y}, to_imgui(theme.raised), theme.px(2));
    draw->AddRectFilled(min, {min.x + static_cast<float>(bar), max.y}, to_imgui(theme.accent));
  }
  const bool named = !options.row_labels.empty();
  ImGui::PushFont(named ? theme.fonts.text : theme.fonts.label);
  const float room = layout.sizes.label_width - 2 * theme.px(kLabelPadding) - options.label_room_px;
  const std::string text =
      named ? elided(options.row_labels[static_cast<std::size_t>(row)], room) : std::to_string(row + 1);
  const bool current = named || (state.focused && row == state.row);
  const Rect whole = layout.cell_rect(row, 0);
  const auto y = static_cast<float>(whole.y + (whole.height - ImGui::GetFontSize()) / 2);
  draw->AddText({min.x + theme.px(kLabelPadding), std::floor(y)},
                to_imgui(current ? theme.text : theme.quiet_text), text.c_str());
  ImGui::PopFont();
}

void draw_labels(const Frame& frame) {
  const GridLayout& layout = frame.layout;
  ImGui::PushClipRect({layout.view_min.x, layout.body_min.y}, {layout.body_min.x, layout.body_max.y}, true);
  for (Index row = layout.first_row; row < layout.end_row; ++row) {
    const Rect rect = layout.label_rect(row);
    if (rect.height < 1) continue;
    draw_label(frame, row, rect);
    if (frame.options.row_item) frame.options.row_item(row, rect);
  }
  ImGui::PopClipRect();
}

// Everything inside the grid's window. Items that lie over others come first: ImGui gives them the pointer.
void draw_inside(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options,
                 const Matrix& matrix, const GridSizes& sizes, const ChildSize& child) {
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 max = {min.x + child.width - (child.down ? bar : 0),
                      min.y + child.height - (child.across ? bar : 0)};
  ImVec2 scroll = {ImGui::GetScrollX(), ImGui::GetScrollY()};
  Frame frame{ui, state, options, matrix, grid_layout(matrix.rows(), matrix.cols(), sizes, min, max, scroll)};

  handle_keys(frame);
  if (state.reveal) {
    scroll = frame.layout.scroll_to(state.row, state.column);
    ImGui::SetScrollX(scroll.x);
    ImGui::SetScrollY(scroll.y);
    state.reveal = false;
  }
  draw_cells(frame);
  show_editor(frame);
  handle_pointer(frame);
  draw_header(frame);
  draw_labels(frame);

  const ImVec2 content = frame.layout.content_size();
  ImGui::SetCursorPos(content);
  ImGui::Dummy({0, 0});
}

}  // namespace
}  // namespace grid

void select_cell(MatrixGridState& state, Index row, Index column) {
  state.row = row;
  state.column = column;
  state.on_label = false;
  state.reveal = true;
}

float matrix_grid_height(const Theme& theme, const MatrixGridState& state, Index rows) {
  const float bar = state.wide ? ImGui::GetStyle().ScrollbarSize : 0;
  return theme.px(grid::kHeaderHeight) + static_cast<float>(rows) * theme.px(grid::kRowHeight) + bar;
}

void matrix_grid(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options) {
  const Matrix& matrix = input_matrix(ui.model(), options.input);
  if (matrix.size() == 0) return;
  grid::clamp_selection(state, matrix);
  grid::measure(ui, state, options.input, matrix);
  const float width = std::floor(ImGui::GetContentRegionAvail().x);
  const GridSizes sizes = grid::grid_sizes(ui, state, options, matrix, width);
  const GridLayout plan = grid_layout(matrix.rows(), matrix.cols(), sizes, {}, {}, {});
  const grid::ChildSize child = grid::child_size(plan.content_size(), width, options.max_height_px);
  if (state.wide != child.across)
    ui.view.wake_seconds = 0.001;  // the room was shared out without the scroll bar
  state.wide = child.across;

  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNavInputs;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool visible = begin_child(options.name.c_str(), {child.width, child.height}, false, kFlags);
  ImGui::PopStyleVar();
  if (visible) grid::draw_inside(ui, state, options, matrix, sizes, child);
  ImGui::EndChild();
  if (state.focused) {
    ui.view.edited_input = options.input;
  } else if (ui.view.edited_input == options.input) {
    ui.view.edited_input.reset();
  }
}

}  // namespace headlight
