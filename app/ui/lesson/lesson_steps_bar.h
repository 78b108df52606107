// The buttons of a lesson or a walk: to the step before and after, and to the lessons beside; and the dots of
// its steps.
#pragma once

#include "app/ui/lesson/lesson_panel.h"

namespace headlight {

float steps_bar_height(const UiContext& ui, const LessonPanelState& state);
// Draws the buttons at the cursor; between them the control that takes changes of the reader back.
void steps_bar(UiContext& ui, LessonPanelState& state, float width);

// Draws a dot for each step, with the right end and the middle of their height at `end`, in at most `room`.
// Returns their width. Precondition: there are steps.
float lesson_dots(UiContext& ui, LessonGuide& guide, ImVec2 end, float room);

// Whether the document differs from the step, or the step's settings do not fit it.
bool has_departed(const LessonGuide& guide);

}  // namespace headlight
