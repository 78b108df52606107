// The texts of a frame, extracted from Dear ImGui's draw lists, so that no drawn text is missing.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight_test {

// Upright glyphs that follow each other closely on one line.
struct DrawnText {
  headlight::Rect place;   // of its glyphs, before clipping
  bool shortened = false;  // contains an ellipsis
  bool cut = false;        // a glyph is clipped at its left or right
  bool sliced = false;     // a glyph is clipped at its top or bottom
  std::string window;      // the name of the ImGui window
};

// The texts of the last frame in the order of drawing. Blanks have no glyphs.
std::vector<DrawnText> drawn_texts();

}  // namespace headlight_test
