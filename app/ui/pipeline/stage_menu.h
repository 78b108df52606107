// The menu of a stage in the pipeline: open, export, copy.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// The ⋯ button next to a stage's name, with its menu. Drawn if `shown` is true or the button has the pointer
// or the focus.
void stage_menu_button(UiContext& ui, Stage stage, ImVec2 at, float size, bool shown);

}  // namespace headlight
