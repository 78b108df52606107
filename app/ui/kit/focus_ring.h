// The ring around the control that the keyboard is at. Tab goes to the next control that the probe knows, in
// the order in which they are drawn, Shift+Tab back; Space presses it, and so does Enter where no dialog has
// that key for its answer. What is out of sight is scrolled to. Of open dialogs and menus only the innermost
// is gone through.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct FocusRing {
  std::string at;      // the control's name; "" before the first Tab
  bool shown = false;  // until the mouse is used
};

// After everything else of a frame. Grids and fields that are typed into have Tab for themselves.
void follow_focus(UiContext& ui, FocusRing& ring);

}  // namespace headlight
