// Text and controls fitted to a width.
#pragma once

#include <imgui.h>

#include <span>
#include <string>

#include "app/platform/text_glyphs.h"
#include "engine/core/counting.h"

namespace headlight {

// Wider than any window: what is longer is measured no further, so that a frame never looks at all letters
// of an absurdly long text.
inline constexpr float kWidestText = 16384;

// In pixels, in the font's own size, at most kWidestText.
float text_width(ImFont* font, const std::string& text);

// The first line of the text in the current font, or as much of it as fits in `width_px` with an ellipsis
// behind it. What does not fit is not looked at.
std::string elided(const std::string& text, float width_px);

// The text in lines of at most `width_px` in the current font, broken at spaces alone: ImGui breaks behind
// the point of a number as well. A word that is longer stays whole.
std::string broken_at_spaces(const std::string& text, float width_px);

// A token's name (token_name), whose label is shortened where it does not fit, so that the position stays.
std::string fitting_token_name(std::span<const std::string> labels, Index at, Counting counting,
                               float width_px);

// Moves the cursor so that what is `width_px` wide ends at the right edge of the region, if it fits.
void align_right(float width_px);

// The width of a tool_button with this label.
float button_width(const std::string& label);

}  // namespace headlight
