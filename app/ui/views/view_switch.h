// Which view the chosen stage is drawn in at large, and what the views of one head and one query show.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// A row of small pictures to click, one for each view: "view.heatmap", "view.row", ...
float view_switch_width(const UiContext& ui);
void view_switch(UiContext& ui);

// The head that a view of one head shows: the one that is chosen, else that of the selected cell.
Index view_head(const UiContext& ui);
// The query that a view of one query shows: that of the selected cell, else the first.
Index view_query(const UiContext& ui);

}  // namespace headlight
