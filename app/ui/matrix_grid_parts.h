// The parts of a matrix grid's frame, in the order in which they run. Private to the matrix_grid files.
#pragma once

#include "app/ui/grid_layout.h"
#include "app/ui/matrix_grid.h"

namespace headlight::grid {

struct Frame {
  UiContext& ui;
  MatrixGridState& state;
  const MatrixGridOptions& options;
  const Matrix& matrix;
  GridLayout layout;

  float selected_value() const { return matrix(state.row, state.column); }
};

enum class Direction { Left, Right, Up, Down };

// matrix_grid_keys.cpp: movement and the floating editor.
void handle_keys(Frame& frame);
void show_editor(Frame& frame);
void open_editor(Frame& frame);
void close_editor(MatrixGridState& state);
void move_selection(MatrixGridState& state, const Matrix& matrix, Direction direction, bool labels);

// matrix_grid_pointer.cpp: clicks, scrubbing and the tooltip.
void handle_pointer(Frame& frame);

inline ImVec2 top_left(const Rect& rect) {
  return {static_cast<float>(rect.x), static_cast<float>(rect.y)};
}
inline ImVec2 bottom_right(const Rect& rect) {
  return {static_cast<float>(rect.right()), static_cast<float>(rect.bottom())};
}

}  // namespace headlight::grid
