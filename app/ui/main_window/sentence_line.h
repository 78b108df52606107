// The text in the top bar: its words are the queries; those that the chosen one attends to are shaded.
#pragma once

#include "app/ui/main_window/workbench.h"

namespace headlight {

// Draws as many words as fit around the one that asks; nothing where there is little room, the text is long,
// or keys are of another text. Probe name: "line.word.<n>" (its value ends with "(query)" for the one that
// asks).
void sentence_line(UiContext& ui, WorkbenchState& state, ImVec2 at, ImVec2 size);

}  // namespace headlight
