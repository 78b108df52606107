// Text and controls fitted to a width.
#pragma once

#include <imgui.h>

#include <span>
#include <string>

#include "app/platform/text_glyphs.h"
#include "engine/core/counting.h"

namespace headlight {

// Wider than any window. Text is not measured beyond this width, so that no frame processes all of an
// absurdly long text.
inline constexpr float kWidestText = 16384;

// In pixels, at the font's own size, at most kWidestText.
float text_width(ImFont* font, const std::string& text);

// The first line of the text in the current font, or as much of it as fits in `width_px` with an ellipsis at
// the end, never a part of a number behind other text. Text that does not fit is not processed.
std::string elided(const std::string& text, float width_px);

// The text in lines of at most `width_px` in the current font, broken at spaces only: ImGui would also break
// after a decimal point. A longer word stays in one piece.
std::string broken_at_spaces(const std::string& text, float width_px);

// A token's name (token_name); its label is shortened if the name does not fit, its position is not.
std::string fitting_token_name(std::span<const std::string> labels, Index at, Counting counting,
                               float width_px);

// Moves the cursor so that an item `width_px` wide ends at the right edge of the region, if it fits.
void align_right(float width_px);

// The width of a tool_button with this label.
float button_width(const std::string& label);

}  // namespace headlight
