// Below the text of a lesson or a walk: a dot for each step, and the buttons that lead on. Private to the
// lesson panel.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

struct WorkbenchState;

float steps_bar_height(const UiContext& ui, const WorkbenchState& state);
void steps_bar(UiContext& ui, WorkbenchState& state, float width);

}  // namespace headlight
