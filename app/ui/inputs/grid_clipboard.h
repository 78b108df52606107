// Copying the selected cells and pasting tables, as clipboard text.
#pragma once

#include <string>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// A pasted table that does not fit between the selected cell and the end of the matrix: a dialog asks what to
// do.
struct PasteOffer {
  bool open = false;
  Matrix values;
  std::vector<std::string> tokens;  // of its rows; empty: the table has numbers alone
  Index row = 0, column = 0;        // the cell it was pasted at
  Index room_rows = 0, room_columns = 0;
  std::string why_not_resize;  // "" if the matrix can grow
};

enum class CopyFormat { Tsv, Csv, Latex, Markdown, Numpy, Torch };

}  // namespace headlight

namespace headlight::grid {

struct Frame;

void copy(const Frame& frame, CopyFormat format);
void cut(Frame& frame);
// Reads the clipboard: one number fills the selection, a table is pasted with its top left corner at the
// selection's. Unreadable text is reported beside the cell; a table that does not fit opens the offer.
void paste(Frame& frame);
// The dialog of an open offer: crop, resize or cancel.
void paste_offer(Frame& frame);

}  // namespace headlight::grid
