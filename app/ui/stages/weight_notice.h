// The notice above the picture of given weights that are not the result of a softmax.
#pragma once

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

// Draws one line at `at`, with the full text as a tooltip. Returns its height; 0 if there is nothing to
// report. Probed as "focus.notice".
float weight_notice(UiContext& ui, Stage stage, ImVec2 at, float width);

}  // namespace headlight
