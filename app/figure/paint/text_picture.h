// Text in any script as pixels, drawn by Pango in whatever fonts of the machine have its letters: joined and
// turned to the left as the script wants it, and in the colours of a font that has colours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/figure/color/colormap.h"

namespace headlight {

struct TextPicture {
  int width = 0, height = 0;  // in pixels; 0 x 0 where nothing is to be seen
  int left = 0;               // from where the text begins to the left edge; may be negative
  int rise = 0;               // from the baseline up to the upper edge
  double advance = 0;         // to where the next letter begins
  bool colored = false;       // has colours of its own; else white
  std::vector<Color> pixels;  // rows from top to bottom; opacity is not multiplied into the colours
};

// One line in the figures' usual font, with characters that no font of this machine has by their code points.
TextPicture text_picture(const std::string& text, double em_px);
// Its `advance` alone.
double text_advance(const std::string& text, double em_px);

// Whether the machine has a font at all: else text is drawn as boxes.
bool has_letters();

// Where the text can be cut without tearing apart what is drawn as one: a letter with its marks, an emoji
// with its joiners, a run of words whose letters join or that is read from the right to the left, or whose
// letters change places. Views into `text`, which all together are it.
std::vector<std::string_view> text_pieces(std::string_view text);

// `text`, as much of it as a line has room for (shaped_part), with "U+1F600" for each character that no font
// of this machine has a glyph for.
std::string with_code_points(const std::string& text);

}  // namespace headlight
