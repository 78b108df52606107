// What has just been drawn, moved and fainter.
#pragma once

#include <imgui.h>

#include "app/figure/motion/screen_change.h"

namespace headlight {

// Of the list's vertices from the one with number `first` on.
void move_vertices(ImDrawList& list, int first, const Placement& to, double opacity = 1);

}  // namespace headlight
