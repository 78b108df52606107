// Text cut to a width.
#pragma once

#include <string>

namespace headlight {

// The text in the current font, or as much of it as fits in `width_px` with an ellipsis behind it.
std::string elided(const std::string& text, float width_px);

}  // namespace headlight
