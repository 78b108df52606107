// The text above the strip: its words are the queries; those that the chosen one attends to are shaded.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// 0: there is no line. The window is too low, the text is too long, or keys are of another text.
float sentence_line_height(const UiContext& ui, ImVec2 window);

// Probe names: "line.word.<n>" (its value ends with "(query)" for the one that asks), "line.type".
void sentence_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size);

}  // namespace headlight
