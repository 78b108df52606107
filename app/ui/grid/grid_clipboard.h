// Copying the cells selected and pasting tables: through the clipboard, as text.
#pragma once

#include <string>

#include "engine/core/matrix.h"

namespace headlight {

// A pasted table that is larger than the room from the selected cell on: what can be done is asked.
struct PasteOffer {
  bool open = false;
  Matrix values;
  Index row = 0, column = 0;  // where it was to go
  Index room_rows = 0, room_columns = 0;
  std::string why_not_resize;  // "" when the matrix can grow
};

enum class CopyFormat { Tsv, Csv, Latex, Markdown, Numpy, Torch };

}  // namespace headlight

namespace headlight::grid {

struct Frame;

void copy(const Frame& frame, CopyFormat format);
void cut(Frame& frame);
// Reads the clipboard: one number fills the selection, a table goes where the selection begins. What can't be
// read is said beside the cell; what does not fit opens the offer.
void paste(Frame& frame);
// The dialog of the offer while it is open: crop, resize or cancel.
void paste_offer(Frame& frame);

}  // namespace headlight::grid
