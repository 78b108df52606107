// What can be done with one stage of the strip: open, export, copy.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// The ⋯ beside a stage's name, with its menu; drawn when `shown`, and when it has the pointer or the focus.
void stage_menu_button(UiContext& ui, Stage stage, ImVec2 at, float size, bool shown);

}  // namespace headlight
