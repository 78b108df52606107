// The fonts of the window: Inter, with DejaVu Sans as fallback, for text; DejaVu Sans Mono for numbers.
#pragma once

#include <string>

#include "app/platform/imgui_compat.h"

namespace headlight {

// Sizes are those of the em; font_size() is the height of a line.
struct Fonts {
  ImFont* text = nullptr;      // 14 px at scale 1
  ImFont* label = nullptr;     // 12 px
  ImFont* title = nullptr;     // 18 px, semi-bold
  ImFont* reading = nullptr;   // 16 px: the text of a lesson
  ImFont* headline = nullptr;  // 22 px, semi-bold: its title
  ImFont* sentence = nullptr;  // 28 px: Latin letters and punctuation
  ImFont* number = nullptr;    // 13 px, monospaced
  // 12 and 10 px, monospaced: for the numbers inside heatmap cells.
  ImFont* cell = nullptr;
  ImFont* small_cell = nullptr;
  // Height of a line in ems.
  float text_line = 1.21F, number_line = 1.164F;

  float text_em_px(const ImFont& font) const { return font_size(&font) / text_line; }
  float number_em_px(const ImFont& font) const { return font_size(&font) / number_line; }
};

// Adds the fonts to the current ImGui context's atlas, at `scale`, and builds it. Falls back to any sans or
// mono font that fontconfig finds; then `missing` names the package to install, else it is empty. Throws
// Error if the atlas cannot be built.
Fonts load_fonts(float scale, std::string& missing);

}  // namespace headlight
