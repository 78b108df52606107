// A grid of numbers one can edit: the same for embeddings, weights, biases and masks. It draws only the cells
// in sight and never changes the model: it sends SetCells.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/focus_request.h"
#include "app/ui/number_cell.h"
#include "app/ui/ui_context.h"

namespace headlight {

// What the width of the columns and the tint depend on, over all cells of the matrix. Owned by the grid's
// state; its key is the document's revision and the input it was measured from.
struct GridMeasure {
  std::uint64_t revision = 0;
  InputId input;
  NumberWidth width;
  float largest = 0;  // the largest magnitude: full tint
};

// Selection, the open editor and the running scrub of one grid. Kept by the panel between frames.
struct MatrixGridState {
  Index row = 0, column = 0;  // the selected cell
  bool focused = false;       // keys go to this grid
  bool on_label = false;      // the row's label is selected rather than a cell
  bool reveal = false;        // bring the selected cell into sight
  bool wide = false;          // wider than its room when last drawn: it has a horizontal scroll bar
  GridMeasure measure;

  bool editing = false;
  int opened_frame = 0;        // ImGui's count when the editor opened
  FocusRequest focus;          // of the open editor
  bool editor_active = false;  // ImGui's text field has the keyboard
  bool caret_at_end = false;   // else all text is selected when the field opens
  bool refused_click = false;  // the click that left refused text behind is not one on another cell
  InputId edited;              // what `text` will be written to
  std::string text;            // of the open editor
  std::string message;         // why the text was refused, shown beside the cell

  bool scrubbing = false;
  bool scrub_cancelled = false;  // by Escape, until the button is let go
  std::uint64_t gesture = 0;     // of the running scrub
  float scrub_original = 0;      // the value before the drag
  double scrub_start_value = 0;  // where the present step size began to count
  float scrub_start_x = 0;
  double scrub_step = 0;

  Index hover_row = -1, hover_column = -1;
  double hover_since = 0;       // seconds, for the tooltip's delay
  bool tooltip_hidden = false;  // by a key, until the pointer moves
};

struct MatrixGridOptions {
  std::string name;  // of the probe: cells are "<name>[row,column]"
  InputId input;
  std::vector<std::string> row_labels, column_labels;  // empty: 1, 2, 3, ...
  // Rows that are marked because the pointer is on one of their cells elsewhere; -1: none.
  Index marked_row = -1;
  float max_height_px = 0;  // 0: as high as it needs
  // Room kept free at the right of every row label, for what `row_item` draws there.
  float label_room_px = 0;
  // Called inside the grid's window for every row label in sight, over its whole rectangle. With it, labels
  // can be selected by Left from the first column.
  std::function<void(Index row, const Rect& rect)> row_item;
};

// Draws the grid at the cursor with the width that is left. Click or arrows select, typing replaces, Enter or
// F2 edits, Enter commits, Tab moves on, Escape takes back, dragging scrubs (Shift: fine, Ctrl: coarse).
void matrix_grid(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options);

// The height at which all rows are in sight, in window pixels. Counts the scroll bar that the grid had when
// it was last drawn.
float matrix_grid_height(const Theme& theme, const MatrixGridState& state, Index rows);

// Selects a cell and scrolls to it.
void select_cell(MatrixGridState& state, Index row, Index column);

}  // namespace headlight
