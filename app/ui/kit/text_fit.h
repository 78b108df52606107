// Text and controls fitted to a width.
#pragma once

#include <string>

namespace headlight {

// The text in the current font, or as much of it as fits in `width_px` with an ellipsis behind it.
std::string elided(const std::string& text, float width_px);

// Moves the cursor so that what is `width_px` wide ends at the right edge of the region, if it fits.
void align_right(float width_px);

// The width of a tool_button with this label.
float button_width(const std::string& label);

}  // namespace headlight
