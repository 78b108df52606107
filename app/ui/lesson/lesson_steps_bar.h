// The bar below the text of a lesson or a walk: a dot for each step, and buttons for the previous and the
// next one. Used by the lesson panel only.
#pragma once

#include "app/ui/lesson/lesson_panel.h"

namespace headlight {

float steps_bar_height(const UiContext& ui, const LessonPanelState& state);
void steps_bar(UiContext& ui, LessonPanelState& state, float width);

}  // namespace headlight
