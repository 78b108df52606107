// Below the text of a lesson or a walk: a dot for each step, and the buttons that lead on. Private to the
// lesson panel.
#pragma once

#include "app/ui/lesson/lesson_panel.h"

namespace headlight {

float steps_bar_height(const UiContext& ui, const LessonPanelState& state);
void steps_bar(UiContext& ui, LessonPanelState& state, float width);

}  // namespace headlight
