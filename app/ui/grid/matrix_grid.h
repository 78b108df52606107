// A grid of numbers one can edit: the same for embeddings, weights, biases and masks. It draws only the cells
// in sight and never changes the model: it sends SetCells, and ChangeLines and PasteGrowing for its rows and
// columns.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/grid/grid_clipboard.h"
#include "app/ui/grid/grid_fill.h"
#include "app/ui/grid/grid_selection.h"
#include "app/ui/grid/grid_statistics.h"
#include "app/ui/grid/grid_tints.h"
#include "app/ui/kit/number_cell.h"

namespace headlight {

// What the widths, the tint and the bars depend on, over all cells and labels. Owned by the grid's state; its
// key is the document's revision, the input it was measured from, and the scale.
struct GridMeasure {
  std::uint64_t revision = 0;
  InputId input;
  float scale = 0;
  NumberWidth width;
  float largest = 0;      // the largest magnitude: full tint
  float label_width = 0;  // of the widest label, in pixels
};

// Selection, the open editor and the running scrub of one grid. Kept by the panel between frames.
struct MatrixGridState {
  GridSelection selection;
  bool focused = false;         // keys go to this grid
  bool takes_keyboard = false;  // from the next frame on
  bool reveal = false;          // bring the cell that moved into sight
  bool wide = false;            // wider than its room when last drawn: it has a horizontal scroll bar
  GridMeasure measure;
  GridStatistics statistics;
  GridTints tints;

  bool editing = false;
  int opened_frame = 0;        // ImGui's count when the editor opened
  FocusRequest focus;          // of the open editor
  bool editor_active = false;  // ImGui's text field has the keyboard
  bool caret_at_end = false;   // else all text is selected when the field opens
  bool refused_click = false;  // the click that left refused text behind is not one on another cell
  InputId edited;              // what `text` will be written to
  std::string text;            // of the open editor
  std::string message;         // why the text was refused, shown beside the cell

  std::string notice;  // what can't be done with the selection, beside it until the next key or click
  bool menu_opens = false;
  PasteOffer offer;
  RangeField field;

  // The pointer is held down to select, from cell to cell or from header to header.
  enum class Selecting { No, Cells, Rows, Columns } selecting = Selecting::No;

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
  // Of the model, which outlives them; empty: they are numbered
  std::span<const std::string> row_labels, column_labels;
  // Rows that are marked because the pointer is on one of their cells elsewhere; -1: none.
  Index marked_row = -1;
  // The cell that stands under the pointer elsewhere, as a factor of a product; -1: none.
  Index lit_row = -1, lit_column = -1;
  float max_height_px = 0;  // 0: as high as it needs
  // The position of each row's token stands behind its label.
  bool row_positions = false;
  // Room kept free at the right of every row label, for what `row_item` draws there.
  float label_room_px = 0;
  // Called inside the grid's window for every row label in sight, over its whole rectangle. With it, labels
  // can be selected by Left from the first column.
  std::function<void(Index row, const Rect& rect)> row_item;
};

// Draws the grid at the cursor with the width that is left. Click or arrows select, Shift extends, headers
// select rows and columns; typing replaces, Enter or F2 edits, Enter commits, Tab moves on, Escape takes
// back, dragging scrubs (then Shift: fine, Ctrl: coarse). A right click opens the menu with everything else.
void matrix_grid(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options);

// The height at which all rows are in sight, in window pixels. Counts the scroll bar that the grid had when
// it was last drawn.
float matrix_grid_height(const Theme& theme, const MatrixGridState& state, Index rows);

// Selects a cell and scrolls to it.
void select_cell(MatrixGridState& state, Index row, Index column);
// Selects a row by its label and scrolls to it.
void select_label(MatrixGridState& state, Index row);
// The pointer went down on a row's label: selects the row, or extends to it while Shift is held, and goes on
// selecting while the button is down.
void press_label(MatrixGridState& state, Index row);
// The right button on a label: opens the grid's menu when that row is one of several that are selected.
bool menu_on_rows(MatrixGridState& state, Index row);

}  // namespace headlight
