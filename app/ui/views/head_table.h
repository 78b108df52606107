// All heads with all their measures: a table to sort by, to choose a head from, and to save.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// Draws the dialog while it is open; whether it stays so. A click on a column's title sorts by it, also the
// large pictures of weights, and a second click turns the order round; a click on a head shows it alone.
// Names: "heads.column.<measure>" and "heads.column.number", "heads.row.h<head>", "heads.h<head>.<measure>",
// "heads.picture", "heads.picture.head", "heads.progress", "heads.copy", "heads.csv", "heads.json",
// "heads.close".
bool head_table(UiContext& ui, bool open);

}  // namespace headlight
