// Text in any script as pixels, drawn by Pango with the installed fonts that have its characters: joined
// letters, right-to-left order and colour fonts are supported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/figure/color/colormap.h"

namespace headlight {

struct TextPicture {
  int width = 0, height = 0;  // in pixels; 0 x 0 if nothing is visible
  int left = 0;               // from the pen to the left edge; may be negative
  int rise = 0;               // from the baseline up to the upper edge
  double advance = 0;         // from the pen to that of the next text
  bool colored = false;       // in the colours of a font; else white
  std::vector<Color> pixels;  // rows from top to bottom; not premultiplied by opacity
};

// One line in the default font of figures, as with_code_points() writes it.
TextPicture text_picture(const std::string& text, double em_px);
// The `advance` alone.
double text_advance(const std::string& text, double em_px);

// Whether an installed font has letters: else text is drawn as boxes.
bool has_letters();

// Splits the text into parts that are drawn as one: a letter with its marks, an emoji with its joiners, a run
// of words in a script that joins or reorders letters or is written right to left; a line that is read from
// right to left is one part, in which Pango places numbers, signs and other words. Joined, they are `text`.
std::vector<std::string_view> text_pieces(std::string_view text);

// shaped_part(text), with "U+0378" for each character that no font can have a glyph for: one that is not
// assigned, of private use, or for control.
std::string with_code_points_of_no_letters(const std::string& text);
// Families with the letters of the text's scripts and with its emoji, as an SVG names them behind the
// figure's own: "Noto Sans Arabic, "; "" where that has them.
std::string fallback_families(const std::string& text);

// shaped_part(text), with "U+1F600" for each character that no installed font has a glyph for.
std::string with_code_points(const std::string& text);

}  // namespace headlight
