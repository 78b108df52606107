// The text below the top bar: its words are the queries. In a high window beams lead from the one that asks
// to those that it attends to; in a lower one these are shaded. Beside the pages of a model the next word
// stands at its end.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// The height of the line: 0 where a window is too low for it, the text is too long to be read in a line, or
// keys are of another text.
float sentence_line_height(const UiContext& ui, float window_height);

// Draws as many words as fit around the one that asks; nothing without height. Probe name: "line.word.<n>"
// (its value ends with "(query)" for the one that asks), "line.beam.<n>", "line.supposed.<n>" (below a
// word that a question supposes to change), "line.next" (opens the list "line.next.list").
void sentence_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size);

}  // namespace headlight
