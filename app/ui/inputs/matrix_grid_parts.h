// The parts of a matrix grid's frame, in the order in which they run. Private to the files of the grid.
#pragma once

#include <utility>

#include "app/ui/inputs/grid_layout.h"
#include "app/ui/inputs/grid_lines.h"
#include "app/ui/inputs/matrix_grid.h"

namespace headlight::grid {

constexpr float kCellPadding = 6, kLabelPadding = 8;  // planned pixels on each side of a text

struct Frame {
  UiContext& ui;
  MatrixGridState& state;
  const MatrixGridOptions& options;
  const Matrix& matrix;
  GridLayout layout;

  GridSelection& selection() const { return state.selection; }
  GridRange range() const { return state.selection.range(matrix.rows(), matrix.cols()); }
  // All cells of a range, without a copy.
  MatrixRef block(const GridRange& range) const {
    return matrix.block(range.row, range.column, range.rows, range.columns);
  }
  float selected_value() const { return matrix(state.selection.row, state.selection.column); }
  // Whether keys go to the grid, or to its own menu or field in front of it.
  bool attended() const {
    return state.focused || state.field.open || state.offer.open || ImGui::IsPopupOpen("##grid_menu");
  }
  void send(Index row, Index column, Matrix values) const {
    ui.send(SetCells{options.input, row, column, std::move(values), 0});
  }
  std::string name(const char* part) const { return options.name + "." + part; }
};

enum class Direction { Left, Right, Up, Down };

// matrix_grid_keys.cpp
void handle_keys(Frame& frame);
void move_selection(Frame& frame, Direction direction, bool to_edge, bool extend);

// matrix_grid_editor.cpp: the floating editor, and messages beside the selection.
void show_editor(Frame& frame);
void open_editor(Frame& frame);
// Opens the editor with the text typed in this frame, if that begins a number or arithmetic.
void edit_typed(Frame& frame);
void close_editor(MatrixGridState& state);
void show_notice(Frame& frame);

// matrix_grid_cells.cpp
void draw_cells(const Frame& frame);
void draw_row_bars(const Frame& frame);

// matrix_grid_headers.cpp: column header and row labels, drawing and presses.
void show_header(Frame& frame);
void show_labels(Frame& frame);

// matrix_grid_pointer.cpp: clicks, scrubbing, selecting by dragging, and the tooltip.
void handle_pointer(Frame& frame);

// grid_menu.cpp: the context menu with all actions on the selection.
void grid_menu(Frame& frame);

inline ImVec2 top_left(const Rect& rect) {
  return {static_cast<float>(rect.x), static_cast<float>(rect.y)};
}
inline ImVec2 bottom_right(const Rect& rect) {
  return {static_cast<float>(rect.right()), static_cast<float>(rect.bottom())};
}

}  // namespace headlight::grid
