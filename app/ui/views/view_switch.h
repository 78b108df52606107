// The switch between the large views of the chosen stage, and the head and query of single-head views.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// Which views have their name beside their icon. A view without it has it in its tooltip.
enum class ViewNames { All, Chosen, None };

// A row of buttons, one for each view: "view.heatmap", "view.row", ...
float view_switch_width(const UiContext& ui, ViewNames names);
void view_switch(UiContext& ui, ViewNames names);
// The views as a list "view" of at most `width`, where there is no room for the buttons.
float view_list_width(const UiContext& ui, float width);
void view_list(UiContext& ui, float width);
// The views as entries of a menu, with the names of the buttons.
void view_entries(UiContext& ui);

// The head that a single-head view shows: UiContext::shown_head().
Index view_head(const UiContext& ui);
// The query that a single-query view shows: that of the selected cell, for a cell without a query its key's
// token; else the last.
Index view_query(const UiContext& ui);

}  // namespace headlight
