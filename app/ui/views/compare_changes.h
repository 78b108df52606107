// The list of the largest changes of one matrix from A to B. Private to the compare view.
#pragma once

#include "app/ui/widgets/area.h"

namespace headlight {

// Draws as many changes as fit into the area. Each is probed with its complete text as
// "compare.change.<named>", and `named` is incremented; "compare.summary.h<head>" has the number of changed
// cells. A click selects the cell.
void draw_changes(UiContext& ui, Stage stage, Index head, const Area& area, int& named);

// Tooltip of the cell under the pointer: its numbers in A and B.
void compare_tooltip(UiContext& ui, Stage stage, Index head, const CellBlock& pointed);

}  // namespace headlight
