#include "app/ui/inputs/matrix_grid.h"
#include "app/ui/context/input_gradient.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/platform/imgui_compat.h"
#include "app/ui/inputs/matrix_grid_parts.h"
#include "app/ui/widgets/text_fit.h"

namespace headlight {
namespace grid {
namespace {

constexpr float kArrowWidth = 8;  // planned pixels for the arrow of a gradient
constexpr float kRowHeight = 24, kHeaderHeight = 20;
constexpr float kLeastCellWidth = 44, kEasyCellWidth = 64, kStretchedCellWidth = 88;
constexpr float kLeastLabelWidth = 32, kMostLabelWidth = 120;
constexpr float kBarsWidth = 48;  // including the gap before them
constexpr Index kCellsBesideBars = 4;

// Whole pixels: a fraction would cause a scroll bar, whose width would cause another one.
float row_height(const Theme& theme) {
  return std::round(theme.px(kRowHeight));
}
float header_height(const Theme& theme) {
  return std::round(theme.px(kHeaderHeight));
}

// The widest label, limited to the largest label width, in pixels.
float widest_label(const Theme& theme, const MatrixGridOptions& options, Index rows) {
  float widest = theme.px(kLeastLabelWidth) - 2 * theme.px(kLabelPadding);
  push_font(options.row_labels.empty() ? theme.fonts.label : theme.fonts.text);
  if (options.row_labels.empty())
    widest = std::max(widest, ImGui::CalcTextSize(std::to_string(rows).c_str()).x);
  const float most = theme.px(kMostLabelWidth);
  for (const std::string& label : options.row_labels) {
    if (widest >= most) break;
    widest = std::max(widest, std::ceil(text_width(ImGui::GetFont(), visible_label(label))));
  }
  if (options.row_positions)
    widest += std::ceil(text_width(ImGui::GetFont(), " " + token_name({}, rows, {})));
  ImGui::PopFont();
  return std::min(widest, most);
}

void measure(const UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options,
             const Matrix& matrix) {
  GridMeasure& measure = state.measure;
  const std::uint64_t revision = ui.document.revision();
  if (measure.revision == revision && measure.input == options.input && measure.scale == ui.theme.scale)
    return;
  measure = {revision,
             options.input,
             ui.theme.scale,
             number_width(matrix),
             matrix.cwiseAbs().maxCoeff<Eigen::PropagateNumbers>(),
             widest_label(ui.theme, options, matrix.rows())};
}

void clamp_selection(MatrixGridState& state, const Matrix& matrix) {
  if (!state.selection.clamp(matrix.rows(), matrix.cols()) && state.editing) close_editor(state);
}

// Bars are shown where the cells can spare the width: beside few columns if all are still visible, beside
// many if at least kCellsBesideBars stay visible.
float bars_width(float width, float label_width, float needed, Index columns, const Theme& theme) {
  const float bars = theme.px(kBarsWidth), room = width - label_width;
  const auto count = static_cast<float>(columns);
  const bool easy = count * std::max(needed, theme.px(kEasyCellWidth)) + bars <= room;
  const bool scrolls = count * needed > room;
  const bool some = static_cast<float>(kCellsBesideBars) * needed + bars <= room;
  return easy || (scrolls && some) ? bars : 0;
}

GridSizes grid_sizes(const UiContext& ui, const MatrixGridState& state, const MatrixGridOptions& options,
                     const Matrix& matrix, float width) {
  const Theme& theme = ui.theme;
  GridSizes sizes;
  sizes.row_height = row_height(theme);
  sizes.header_height = header_height(theme);
  sizes.label_width =
      std::ceil(state.measure.label_width + 2 * theme.px(kLabelPadding) + options.label_room_px);
  push_font(theme.fonts.number);
  const float digits = ImGui::CalcTextSize("0").x * static_cast<float>(state.measure.width.total());
  ImGui::PopFont();
  const float arrow = input_gradient(ui, options.input) ? theme.px(kArrowWidth) : 0;
  const float needed = std::max(theme.px(kLeastCellWidth), digits + 2 * theme.px(kCellPadding)) + arrow;
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const float content = sizes.header_height + static_cast<float>(matrix.rows()) * sizes.row_height;
  const auto scrolls = [&](float height) {
    return options.max_height_px > 0 && height > std::floor(options.max_height_px);
  };
  // The vertical scroll bar takes its width from the columns, so that no horizontal one is needed.
  const float beside = width - (scrolls(content) ? bar : 0);
  sizes.bars_width = bars_width(beside, sizes.label_width, needed, matrix.cols(), theme);
  const float even = (beside - sizes.label_width - sizes.bars_width) / static_cast<float>(matrix.cols());
  sizes.cell_width = std::floor(std::max(needed, std::min(even, theme.px(kStretchedCellWidth))));
  // A wide matrix shows as many complete columns as fit and scrolls to the others.
  if (even >= needed) return sizes;
  const float room = width - sizes.label_width - sizes.bars_width - (scrolls(content + bar) ? bar : 0);
  const float fitting = std::floor(room / needed);
  if (fitting < 1) return sizes;
  sizes.cell_width = std::floor(room / fitting);
  sizes.label_width += room - fitting * sizes.cell_width;  // otherwise a sliver of the next column is visible
  return sizes;
}

// The size of the grid's window: no larger than its content plus the scroll bars that it needs.
struct ChildSize {
  float width = 0, height = 0;
  bool across = false, down = false;  // whether there is a horizontal and a vertical scroll bar
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

// Scrolls to the corner that moved, or to the edited cell. A selection of complete columns does not scroll
// vertically.
void reveal(Frame& frame, ImVec2 scroll) {
  MatrixGridState& state = frame.state;
  if (!std::exchange(state.reveal, false)) return;
  const GridSelection& selection = state.selection;
  const ImVec2 to = state.editing ? frame.layout.scroll_to(selection.row, selection.column)
                                  : frame.layout.scroll_to(selection.far_row, selection.far_column);
  const bool down = state.editing || selection.span != GridSpan::Columns;
  const bool across = state.editing || selection.span != GridSpan::Rows || selection.on_label;
  if (across && to.x != scroll.x) ImGui::SetScrollX(to.x);
  if (down && to.y != scroll.y) ImGui::SetScrollY(to.y);
}

// Scrolls to the cell highlighted by another view, unless this grid has the keyboard or is being edited.
void reveal_lit(const Frame& frame, ImVec2 scroll) {
  const Index row = frame.options.lit_row, column = frame.options.lit_column;
  const bool exists = row >= 0 && column >= 0 && row < frame.matrix.rows() && column < frame.matrix.cols();
  if (!exists || frame.state.focused || frame.state.editing) return;
  const ImVec2 to = frame.layout.scroll_to(row, column);
  if (to.x != scroll.x) ImGui::SetScrollX(to.x);
  if (to.y != scroll.y) ImGui::SetScrollY(to.y);
}

// Statistics of the selected cells, for the status bar.
void report_statistics(const Frame& frame) {
  const GridRange range = frame.range();
  if (!frame.attended() || range.size() == 1) return;
  GridStatistics& statistics = frame.state.statistics;
  update_statistics(statistics, frame.ui.document.revision(), frame.options.input, range, frame.matrix);
  frame.ui.view.selection.note = statistics_text(statistics);
}

// A control under the grid's window at which the focus ring stops; Space or Enter moves the keyboard into the
// grid.
void keyboard_stop(const UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options,
                   ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (click_area(("##keys." + options.name).c_str(), size)) state.takes_keyboard = true;
  ui.probe.mark(options.name + ".grid");
  ImGui::SetCursorScreenPos(at);
}

// The cell whose gradient the inspector derives: the one under the pointer, else that of the keyboard.
void note_gradient_cell(UiContext& ui, const MatrixGridState& state, const InputId& input) {
  if (!input_gradient(ui, input)) return;
  if (state.hover_row >= 0 && state.hover_column >= 0)
    ui.view.selection.gradient.now = InputCell{input, state.hover_row, state.hover_column};
  else if (state.focused && !ui.view.selection.gradient.now && !state.selection.on_label)
    ui.view.selection.gradient.now = InputCell{input, state.selection.row, state.selection.column};
}

// Everything inside the grid's window. Overlapping items on top come first: ImGui gives the pointer to the
// first one.
void draw_inside(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options,
                 const Matrix& matrix, const GridSizes& sizes, const ChildSize& child) {
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 max = {min.x + child.width - (child.down ? bar : 0),
                      min.y + child.height - (child.across ? bar : 0)};
  const ImVec2 scroll = {ImGui::GetScrollX(), ImGui::GetScrollY()};
  Frame frame{ui, state, options, matrix, grid_layout(matrix.rows(), matrix.cols(), sizes, min, max, scroll)};

  handle_keys(frame);
  reveal(frame, scroll);
  reveal_lit(frame, scroll);
  draw_cells(frame);
  draw_row_bars(frame);
  show_editor(frame);
  handle_pointer(frame);
  show_header(frame);
  show_labels(frame);
  show_notice(frame);
  grid_menu(frame);
  range_field(frame);
  paste_offer(frame);
  report_statistics(frame);

  const ImVec2 content = frame.layout.content_size();
  ImGui::SetCursorPos(content);
  ImGui::Dummy({0, 0});
}

}  // namespace
}  // namespace grid

void select_cell(MatrixGridState& state, Index row, Index column) {
  state.selection.select(row, column);
  state.reveal = true;
}

void select_label(MatrixGridState& state, Index row) {
  state.selection.select_rows(row, row);
  state.selection.on_label = true;
  state.reveal = true;
}

void press_label(MatrixGridState& state, Index row) {
  if (shift_held() && state.selection.span == GridSpan::Rows) {
    state.selection.extend(row, state.selection.far_column);
  } else {
    state.selection.select_rows(shift_held() ? state.selection.row : row, row);
  }
  state.selection.on_label = true;
  state.selecting = MatrixGridState::Selecting::Rows;
}

bool menu_on_rows(MatrixGridState& state, Index row) {
  const auto [first, last] = std::minmax(state.selection.row, state.selection.far_row);
  if (!state.selection.on_label || first == last || row < first || row > last) return false;
  state.menu_opens = true;
  return true;
}

float matrix_grid_height(const Theme& theme, const MatrixGridState& state, Index rows) {
  const float bar = state.wide ? ImGui::GetStyle().ScrollbarSize : 0;
  return grid::header_height(theme) + static_cast<float>(rows) * grid::row_height(theme) + bar;
}

void matrix_grid(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options) {
  const Matrix& matrix = input_matrix(ui.layer(), options.input);
  if (matrix.size() == 0) return;
  grid::clamp_selection(state, matrix);
  grid::measure(ui, state, options, matrix);
  update_tints(state.tints, ui.theme);
  const float width = std::floor(ImGui::GetContentRegionAvail().x);
  const GridSizes sizes = grid::grid_sizes(ui, state, options, matrix, width);
  const GridLayout plan = grid_layout(matrix.rows(), matrix.cols(), sizes, {}, {}, {});
  const grid::ChildSize child = grid::child_size(plan.content_size(), width, options.max_height_px);
  if (state.wide != child.across) ui.wake_within(0.001);  // the widths were computed without the scroll bar
  state.wide = child.across;

  grid::keyboard_stop(ui, state, options, {child.width, child.height});
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNavInputs;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool visible = begin_child(options.name.c_str(), {child.width, child.height}, false, kFlags);
  ImGui::PopStyleVar();
  if (std::exchange(state.takes_keyboard, false)) ImGui::SetWindowFocus();
  if (visible) grid::draw_inside(ui, state, options, matrix, sizes, child);
  ImGui::EndChild();
  grid::note_gradient_cell(ui, state, options.input);
  if (state.focused) {
    ui.view.selection.input = options.input;
  } else if (ui.view.selection.input == options.input) {
    ui.view.selection.input.reset();
  }
}

}  // namespace headlight
