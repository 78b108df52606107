// Text that the window's own fonts lack: other scripts, emoji, letters with marks. Each piece of such text is
// drawn by Pango as a picture and becomes a glyph of every font of the window: a single character under its
// own number, what has to be drawn as one under that of a stand-in, and so do characters beyond U+FFFF, which
// Dear ImGui may not know. Like ImGui's context there is one set of these glyphs, for the thread of the
// window. They are made when they are asked for: what is drawn for the first time is seen after the fonts
// have been made anew (load_fonts).
#pragma once

#include <string>
#include <vector>

#include "app/platform/imgui_compat.h"

namespace headlight {

// Text as it is handed to Dear ImGui. What was drawn already stays as it is.
std::string drawn_text(const std::string& text);

// The same for a field of text: a character for a character, so that the cursor finds its way.
std::string field_text(const std::string& text);
unsigned field_character(unsigned character);
// What was typed: the characters for the stand-ins.
std::string typed_text(const std::string& text);

// As wide as drawn_text(text) will be in the font, at its size, whether its glyphs are there or not.
float drawn_width(ImFont* font, const std::string& text);

// Whether something was asked for that the fonts have no glyph for yet.
bool glyphs_are_wanted();

// For load_fonts: what fonts there are, with the size of their letters; before the atlas is built and behind
// it.
struct LetterSize {
  ImFont* font = nullptr;
  double em_px = 0;
};
void begin_text_glyphs(ImFontAtlas& atlas, const std::vector<LetterSize>& fonts);
void finish_text_glyphs(ImFontAtlas& atlas);

}  // namespace headlight
