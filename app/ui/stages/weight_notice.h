// What of weights that are given is not as a softmax leaves them, above their large picture.
#pragma once

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

// One line at `at`, the whole of it as a tooltip; returns its height, 0 where there is nothing to say. Probed
// as "focus.notice".
float weight_notice(UiContext& ui, Stage stage, ImVec2 at, float width);

}  // namespace headlight
