// Rows and columns of a grid as tokens and dimensions: inserted, duplicated, removed, moved.
#pragma once

#include <string>

#include "engine/model/lines.h"

namespace headlight::grid {

struct Frame;

enum class Axis { Rows, Columns };

// What one may ask for the rows or columns of the selection. Before and Behind insert as many as are
// selected.
enum class LinesWish { Before, Behind, Duplicate, Remove, Back, Forward };

// Whether rows or columns stand for something that can come and go.
bool has_lines(const Frame& frame, Axis axis);
// "Insert 2 dimensions before".
std::string lines_text(const Frame& frame, Axis axis, LinesWish wish);
// Why it is not possible; "" when it is.
std::string why_not(const Frame& frame, Axis axis, LinesWish wish);
// Sends the command and lets the selection follow, or says why not beside the cell.
void ask_lines(Frame& frame, Axis axis, LinesWish wish);

}  // namespace headlight::grid
