// The strip above the large picture, as the workbench puts them, in a panel of their own.
#pragma once

#include "app/ui/frame/workbench.h"

namespace headlight_test {

// Draws into the region that is left.
void centre_panel(headlight::UiContext& ui, headlight::WorkbenchState& state);

}  // namespace headlight_test
