// Parts of the window that a lesson and the workbench share.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// The inputs: the text of a whole model, and the numbers of the shown layer. If both do not fit, one of them.
void inputs_side(UiContext& ui, WorkbenchState& state);

// The pipeline strip at `at`, `size.x` wide in a window of height `size.y`, with the edge below it to drag.
// Returns the top of what stands below it.
float strip_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size);

// A lesson while it is read: its text, the picture and what the step names, in the window between the bar at
// the top and the bar at the bottom.
void reading_view(UiContext& ui, WorkbenchState& state, const Rect& content);

}  // namespace headlight
