// Dashed lines and boxes: what is wanted or guessed, beside what is.
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// line, dash: pixels.
void draw_dashed_line(ImDrawList& list, ImVec2 a, ImVec2 b, ImU32 color, float line, float dash);
// At the edge of the box, in the theme's widths.
void draw_dashed_box(const UiContext& ui, ImVec2 a, ImVec2 b, ImU32 color);

}  // namespace headlight
