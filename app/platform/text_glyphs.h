// Glyphs of text that the window's fonts lack: other scripts, emoji, letters with marks. Each piece of such
// text is drawn by Pango as a picture, which becomes a glyph of every font of the window: a single character
// under its code point; characters that are drawn as one, and those beyond U+FFFF, which Dear ImGui may not
// support, under the code point of a stand-in. There is one global set of these glyphs, for the thread of the
// window. They are made on request: a new one is visible after the fonts have been loaded again (load_fonts).
#pragma once

#include <string>
#include <vector>

#include "app/platform/imgui_compat.h"

namespace headlight {

// The text to pass to Dear ImGui, with stand-ins. A text that already has them is not changed. `font`: the
// one it is drawn in, where that is large: those have fewer letters than the others.
std::string drawn_text(const std::string& text, ImFont* font = nullptr);

// drawn_text() for a text field: one character for each character, so that cursor positions stay.
std::string field_text(const std::string& text, ImFont* font = nullptr);
unsigned field_character(unsigned character);
// The inverse of field_text: the characters in place of their stand-ins.
std::string typed_text(const std::string& text);

// The width of drawn_text(text) in the font, at its size, even if its glyphs are not in the font yet.
float drawn_width(ImFont* font, const std::string& text);

// Whether a glyph was requested that is not in the fonts yet.
bool glyphs_pending();

// Called by load_fonts before and after the atlas is built. `fonts`: the window's, with their em sizes.
struct LetterSize {
  ImFont* font = nullptr;
  double em_px = 0;
  bool latin_only = false;  // it lacks letters and signs that the first font has
};
void begin_text_glyphs(ImFontAtlas& atlas, const std::vector<LetterSize>& fonts);
void finish_text_glyphs(ImFontAtlas& atlas);

}  // namespace headlight
