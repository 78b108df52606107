// The four fonts of the window: Inter (DejaVu Sans behind it) for text, DejaVu Sans Mono for numbers.
#pragma once

#include <string>

#include <imgui.h>

namespace headlight {

struct Fonts {
  ImFont* text = nullptr;    // 14 px at scale 1
  ImFont* label = nullptr;   // 12 px
  ImFont* title = nullptr;   // 18 px
  ImFont* number = nullptr;  // 13 px, monospaced
};

// Adds the fonts to the current ImGui context's atlas, at `scale`. Falls back to any sans or mono font that
// fontconfig finds, and says in `missing` (empty when all is well) which package would mend it.
Fonts load_fonts(float scale, std::string& missing);

}  // namespace headlight
