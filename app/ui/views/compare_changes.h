// The list of the largest changes from A to B of one matrix. Private to the view that compares.
#pragma once

#include "app/ui/kit/area.h"

namespace headlight {

// Draws as many as the area has room for, each probed as "compare.change.<named>" with its whole text,
// counting `named` on; "compare.summary.h0" says how many cells changed. A click selects the cell.
void draw_changes(UiContext& ui, Stage stage, Index head, const Area& area, int& named);

// While the pointer rests on one cell of a picture: its numbers in A and B.
void compare_tooltip(UiContext& ui, Stage stage, Index head, const CellBlock& pointed);

}  // namespace headlight
