// An editable grid of numbers, for embeddings, weights, biases and masks. It draws only the visible cells and
// never changes the model: it sends the commands SetCells and, for its rows and columns, ChangeLines and
// PasteGrowing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/context/focus_request.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/inputs/grid_clipboard.h"
#include "app/ui/inputs/grid_fill.h"
#include "app/ui/inputs/grid_selection.h"
#include "app/ui/inputs/grid_statistics.h"
#include "app/ui/inputs/grid_tints.h"
#include "app/ui/widgets/number_cell.h"

namespace headlight {

// Measures over all cells and labels that determine the widths, the tints and the bars. Owned by the grid's
// state; its key is the document's revision, the measured input, and the scale.
struct GridMeasure {
  std::uint64_t revision = 0;
  InputId input;
  float scale = 0;
  NumberWidth width;
  float largest = 0;      // the largest magnitude: full tint
  float label_width = 0;  // of the widest label, in pixels
};

// Selection, open editor and running scrub of one grid. Owned by the panel, across frames.
struct MatrixGridState {
  GridSelection selection;
  bool focused = false;         // keys go to this grid
  bool takes_keyboard = false;  // from the next frame on
  bool reveal = false;          // scroll to the corner of the selection that moved
  bool wide = false;            // it had a horizontal scroll bar when last drawn
  GridMeasure measure;
  GridStatistics statistics;
  GridTints tints;

  bool editing = false;
  int opened_frame = 0;        // ImGui frame in which the editor opened
  FocusRequest focus;          // of the open editor
  bool editor_active = false;  // ImGui's text field has the keyboard
  bool caret_at_end = false;   // else all text is selected when the field opens
  bool refused_click = false;  // this click only took the keyboard from refused text
  InputId edited;              // the input that `text` will be written to
  std::string text;            // of the open editor
  std::string message;         // why the text was refused, shown beside the cell

  std::string notice;  // error message beside the selection until the next key or click
  bool menu_opens = false;
  PasteOffer offer;
  RangeField field;

  // The running selection by dragging: over cells or over headers.
  enum class Selecting { No, Cells, Rows, Columns } selecting = Selecting::No;

  bool scrubbing = false;
  bool scrub_cancelled = false;  // by Escape; until the button is released
  std::uint64_t gesture = 0;     // of the running scrub
  float scrub_original = 0;      // the value before the drag
  double scrub_start_value = 0;  // value where the present step size took effect
  float scrub_start_x = 0;
  double scrub_step = 0;

  Index hover_row = -1, hover_column = -1;
  double hover_since = 0;       // seconds, for the tooltip's delay
  bool tooltip_hidden = false;  // by a key; until the pointer moves
};

struct MatrixGridOptions {
  std::string name;  // for the probe: cells are "<name>[row,column]"
  InputId input;
  // Labels of the model, which must outlive the call; empty: the lines are numbered.
  std::span<const std::string> row_labels, column_labels;
  // The marked row: the pointer is on one of its cells in another view; -1: none.
  Index marked_row = -1;
  // The highlighted cell: a factor of a product that is under the pointer in another view; -1: none.
  Index lit_row = -1, lit_column = -1;
  float max_height_px = 0;  // 0: no limit
  // Shows each token's position after its label.
  bool row_positions = false;
  // Width kept free at the right of every row label, for what `row_item` draws there.
  float label_room_px = 0;
  // Called inside the grid's window for every visible row label, with the label's visible rectangle. With it,
  // Left in the first column selects the label.
  std::function<void(Index row, const Rect& rect)> row_item;
};

// Draws the grid at the cursor with the available width. A click or an arrow key selects, Shift extends,
// headers select rows and columns; typing replaces the value, Enter or F2 edits it, Enter commits, Tab goes
// to the next cell, Escape cancels, dragging changes the value (scrub; then Shift: fine, Ctrl: coarse). A
// right click opens the menu with all other actions.
void matrix_grid(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options);

// The height at which all rows are visible, in window pixels. Includes the horizontal scroll bar if the grid
// had one when last drawn.
float matrix_grid_height(const Theme& theme, const MatrixGridState& state, Index rows);

// Selects a cell and scrolls to it.
void select_cell(MatrixGridState& state, Index row, Index column);
// Selects a row by its label and scrolls to it.
void select_label(MatrixGridState& state, Index row);
// Call when the pointer is pressed on a row's label: selects the row, or extends to it while Shift is held,
// and continues to extend the selection while the button is down.
void press_label(MatrixGridState& state, Index row);
// Call on a right click on a label: opens the grid's menu if the row is one of several selected rows. Returns
// whether it did.
bool menu_on_rows(MatrixGridState& state, Index row);

}  // namespace headlight
