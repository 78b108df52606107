// The ring around the control that has the keyboard. Tab moves to the next control that the probe has
// recorded, in drawing order, Shift+Tab moves back; Space presses the control, and so does Enter where no
// dialog uses that key for its answer. A control out of view is scrolled into view. Of open dialogs and menus
// only the innermost one is traversed.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct FocusRing {
  std::string at;      // the control's name; "" before the first Tab
  bool shown = false;  // until the mouse is used
};

// Call after everything else in a frame. Grids and active text fields handle Tab themselves.
void follow_focus(UiContext& ui, FocusRing& ring);

}  // namespace headlight
