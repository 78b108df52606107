// Dashed lines: what is wanted, beside what is. Dashed boxes are marks (marks.h).
#pragma once

#include "app/ui/context/ui_context.h"

namespace headlight {

// line, dash: pixels.
void draw_dashed_line(ImDrawList& list, ImVec2 a, ImVec2 b, ImU32 color, float line, float dash);

}  // namespace headlight
