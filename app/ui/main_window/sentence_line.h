// The text below the top bar: its words are the queries; those that the chosen one attends to are shaded.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// The height of the line: 0 where a window is too low for it, the text is too long to be read in a line, or
// keys are of another text.
float sentence_line_height(const UiContext& ui, float window_height);

// Draws as many words as fit around the one that asks; nothing without height. Probe name: "line.word.<n>"
// (its value ends with "(query)" for the one that asks).
void sentence_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size);

}  // namespace headlight
