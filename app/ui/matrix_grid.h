// A grid of numbers one can edit: the same for embeddings, weights, biases and masks. It draws only the cells
// in sight and never changes the model: it sends SetCells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/ui/ui_context.h"

namespace headlight {

// Selection, the open editor and the running scrub of one grid. Kept by the panel between frames.
struct MatrixGridState {
  Index row = 0, column = 0;       // the selected cell
  bool focused = false;            // keys go to this grid
  bool editing = false;
  bool editor_needs_focus = false;
  std::string text;                // of the open editor
  std::string message;             // why the text was refused, shown beside the cell
  bool scrubbing = false;
  std::uint64_t gesture = 0;       // of the running scrub
  float scrub_start_value = 0;
  float scrub_start_x = 0;
};

struct MatrixGridOptions {
  std::string name;  // of the probe: cells are "<name>[row,column]"
  InputId input;
  std::vector<std::string> row_labels, column_labels;
  // Rows that are marked because the pointer is on one of their cells elsewhere; -1: none.
  Index marked_row = -1;
  float max_height_px = 0;  // 0: as high as it needs
};

// Draws the grid at the cursor with the width that is left. Click or arrows select, typing replaces, Enter or
// F2 edits, Enter commits, Tab moves on, Escape takes back, dragging scrubs (Shift: fine, Ctrl: coarse).
void matrix_grid(UiContext& ui, MatrixGridState& state, const MatrixGridOptions& options);

// Parses one number as typed: blanks around it are fine, a comma is not. Returns the message when refused.
struct ParsedNumber {
  std::optional<float> value;
  std::string message;
};
ParsedNumber parse_number(const std::string& text);

}  // namespace headlight
