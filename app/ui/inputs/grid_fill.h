// Changing all cells of a selection at once, in one undo step.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/focus_request.h"
#include "app/ui/inputs/grid_selection.h"
#include "engine/core/matrix.h"
#include "engine/layer/edit.h"

namespace headlight {

enum class RangeOperation { Set, Scale, Add };

// The input field beside the selection: "Scale by", "Add", "Set to".
struct RangeField {
  bool open = false, opens = false;
  RangeOperation operation = RangeOperation::Set;
  std::string text, message;
  FocusRequest focus;
};

// A block after the operation. `text` is a number or arithmetic, where x is each cell's own value; if it is
// refused, `message` says why and names the first cell that fails.
struct RangeResult {
  std::optional<Matrix> values;
  std::string message;
};
RangeResult operate(InputKind kind, const MatrixRef& block, RangeOperation operation,
                    const std::string& text);

}  // namespace headlight

namespace headlight::grid {

struct Frame;

void fill_down(Frame& frame);   // copies the selection's first row, or the row above a single row
void fill_right(Frame& frame);  // copies its first column, or the column to the left of a single one
void set_all(Frame& frame, float value);
void open_range_field(Frame& frame, RangeOperation operation);
void range_field(Frame& frame);

}  // namespace headlight::grid
