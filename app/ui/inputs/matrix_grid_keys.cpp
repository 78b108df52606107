// Keyboard input of a matrix grid: moving and extending the selection, and actions on it.
#include <algorithm>

#include "app/platform/imgui_compat.h"
#include "app/ui/inputs/matrix_grid_parts.h"

namespace headlight::grid {
namespace {

struct Corner {
  Index row = 0, column = 0;
};

Corner moved(const Frame& frame, Corner from, Direction direction, bool to_edge) {
  const Index last_row = frame.matrix.rows() - 1, last_column = frame.matrix.cols() - 1;
  switch (direction) {
    case Direction::Left:
      return {from.row, to_edge ? 0 : std::max<Index>(from.column - 1, 0)};
    case Direction::Right:
      return {from.row, to_edge ? last_column : std::min(from.column + 1, last_column)};
    case Direction::Up:
      return {to_edge ? 0 : std::max<Index>(from.row - 1, 0), from.column};
    case Direction::Down:
      return {to_edge ? last_row : std::min(from.row + 1, last_row), from.column};
  }
  return from;
}

// Where the next move begins: Shift moves the corner opposite to the active cell.
Corner moving_corner(const GridSelection& selection, bool extend) {
  if (extend) return {selection.far_row, selection.far_column};
  return {selection.row, selection.column};
}

void go_to(Frame& frame, Corner corner, bool extend) {
  if (!extend) return select_cell(frame.state, corner.row, corner.column);
  frame.selection().extend(corner.row, corner.column);
  frame.state.reveal = true;
}

void move_by_page(Frame& frame, Index rows) {
  const bool extend = shift_held();
  Corner corner = moving_corner(frame.selection(), extend);
  corner.row = std::clamp<Index>(corner.row + rows, 0, frame.matrix.rows() - 1);
  go_to(frame, corner, extend);
}

// Home and End: of the row, with Ctrl of the matrix.
void move_to_end(Frame& frame, bool to_end) {
  const bool extend = shift_held();
  Corner corner = moving_corner(frame.selection(), extend);
  corner.column = to_end ? frame.matrix.cols() - 1 : 0;
  if (ctrl_held()) corner.row = to_end ? frame.matrix.rows() - 1 : 0;
  go_to(frame, corner, extend);
}

// As in text: from the end of a row to the beginning of the next.
void move_by_tab(Frame& frame) {
  const GridSelection& selection = frame.selection();
  const Index at = selection.row * frame.matrix.cols() + selection.column + (shift_held() ? -1 : 1);
  const Index cell = std::clamp<Index>(at, 0, frame.matrix.size() - 1);
  select_cell(frame.state, cell / frame.matrix.cols(), cell % frame.matrix.cols());
}

struct ArrowKey {
  Key key;
  Direction direction;
};
constexpr ArrowKey kArrows[] = {{Key::Left, Direction::Left},
                                {Key::Right, Direction::Right},
                                {Key::Up, Direction::Up},
                                {Key::Down, Direction::Down}};

void movement_keys(Frame& frame) {
  for (const auto& [key, direction] : kArrows)
    if (key_pressed(key, true)) move_selection(frame, direction, ctrl_held(), shift_held());
  if (key_pressed(Key::PageUp, true)) move_by_page(frame, -frame.layout.page_rows());
  if (key_pressed(Key::PageDown, true)) move_by_page(frame, frame.layout.page_rows());
  if (key_pressed(Key::Home)) move_to_end(frame, false);
  if (key_pressed(Key::End)) move_to_end(frame, true);
  if (key_pressed(Key::Tab, true)) move_by_tab(frame);
}

// Alt with an arrow key moves the selected lines; Insert, Delete and D edit complete rows or columns.
void line_keys(Frame& frame) {
  if (key_pressed(Key::Up, true)) request_lines(frame, Axis::Rows, LineEdit::Back);
  if (key_pressed(Key::Down, true)) request_lines(frame, Axis::Rows, LineEdit::Forward);
  if (key_pressed(Key::Left, true)) request_lines(frame, Axis::Columns, LineEdit::Back);
  if (key_pressed(Key::Right, true)) request_lines(frame, Axis::Columns, LineEdit::Forward);
  const bool insert = key_pressed(Key::Insert), remove = key_pressed(Key::Delete),
             duplicate = key_pressed(Key::D);
  if (!insert && !remove && !duplicate) return;
  if (frame.selection().span == GridSpan::Cells) {
    frame.state.notice =
        "Select whole rows or columns first: click a header, or press Shift+Space or Ctrl+Space.";
    return;
  }
  const Axis axis = frame.selection().span == GridSpan::Rows ? Axis::Rows : Axis::Columns;
  request_lines(frame, axis, insert ? LineEdit::Before : remove ? LineEdit::Remove : LineEdit::Duplicate);
}

void select_whole(Frame& frame, bool rows) {
  const GridRange range = frame.range();
  if (rows)
    frame.selection().select_rows(range.row, range.end_row() - 1);
  else
    frame.selection().select_columns(range.column, range.end_column() - 1);
}

void control_keys(Frame& frame) {
  if (key_pressed(Key::A)) frame.selection().select_all(frame.matrix.rows(), frame.matrix.cols());
  if (key_pressed(Key::C)) copy(frame, CopyFormat::Tsv);
  if (key_pressed(Key::X)) cut(frame);
  if (key_pressed(Key::V)) paste(frame);
  if (key_pressed(Key::D)) fill_down(frame);
  if (key_pressed(Key::R)) fill_right(frame);
  if (key_pressed(Key::Space)) select_whole(frame, false);
}

void plain_keys(Frame& frame) {
  if (frame.selection().on_label) return;  // row_item handles the keys of its label
  if (shift_held() && key_pressed(Key::Space)) return select_whole(frame, true);
  if (key_pressed(Key::Delete)) return set_all(frame, 0);
  if (key_pressed(Key::Escape) && !frame.ui.view.opened_stage) {
    const GridSelection selection = frame.selection();
    frame.selection().select(selection.row, selection.column);
  }
  if (key_pressed(Key::Enter) || key_pressed(Key::F2))
    open_editor(frame);
  else
    edit_typed(frame);
}

}  // namespace

void move_selection(Frame& frame, Direction direction, bool to_edge, bool extend) {
  GridSelection& selection = frame.selection();
  const Corner from = moving_corner(selection, extend);
  if (extend) return go_to(frame, moved(frame, from, direction, to_edge), true);
  const bool sideways = direction == Direction::Left || direction == Direction::Right;
  const bool has_labels = static_cast<bool>(frame.options.row_item);
  const bool was_on_label = selection.on_label;
  const bool to_label = has_labels && direction == Direction::Left && from.column == 0;
  const Corner to = was_on_label && sideways ? from : moved(frame, from, direction, to_edge);
  if (to_label || (was_on_label && !sideways))
    select_label(frame.state, to.row);
  else
    select_cell(frame.state, to.row, to.column);
}

void handle_keys(Frame& frame) {
  MatrixGridState& state = frame.state;
  state.focused = ImGui::IsWindowFocused();
  if (!state.focused || state.editing || ImGui::IsAnyItemActive()) return;
  if (alt_held()) return line_keys(frame);
  const GridSelection before = state.selection;
  movement_keys(frame);
  if (ctrl_held())
    control_keys(frame);
  else
    plain_keys(frame);
  if (before == state.selection) return;
  state.tooltip_hidden = true;
  state.notice.clear();
}

}  // namespace headlight::grid
