// A table of all heads with all measures: sort, choose a head, save.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// Draws the dialog while it is open; returns whether it stays open. A click on a column's title sorts the
// table and the large pictures of weights by it, a second click reverses the order; a click on a head shows
// it alone. Names: "heads.column.<measure>" and "heads.column.number", "heads.row.h<head>",
// "heads.h<head>.<measure>", "heads.picture", "heads.picture.head", "heads.progress", "heads.copy",
// "heads.csv", "heads.json", "heads.close".
bool head_table(UiContext& ui, bool open);

}  // namespace headlight
