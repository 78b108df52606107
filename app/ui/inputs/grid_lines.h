// Edits of rows and columns as tokens and dimensions: insert, duplicate, remove, move.
#pragma once

#include <string>

#include "engine/layer/lines.h"

namespace headlight::grid {

struct Frame;

enum class Axis { Rows, Columns };

// The edits of the selected rows or columns. Before and Behind insert as many as are selected.
enum class LineEdit { Before, Behind, Duplicate, Remove, Back, Forward };

// Whether the rows or columns can be inserted and removed.
bool has_lines(const Frame& frame, Axis axis);
// "Insert 2 dimensions before".
std::string lines_text(const Frame& frame, Axis axis, LineEdit requested);
// Why the edit is not possible; "" if it is.
std::string why_not(const Frame& frame, Axis axis, LineEdit requested);
// Sends the command and moves the selection along, or reports the reason beside the cell.
void request_lines(Frame& frame, Axis axis, LineEdit requested);

}  // namespace headlight::grid
