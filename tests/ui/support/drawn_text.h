// The texts of a frame as they were drawn: read out of ImGui's draw lists, so that nothing drawn is left out.
#pragma once

#include <string>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight_test {

// Upright glyphs that stand close behind each other on one line.
struct DrawnText {
  headlight::Rect place;   // of its glyphs, whole
  bool shortened = false;  // it has an ellipsis
  bool cut = false;        // the drawing was clipped through one of them, at its left or right
  std::string window;      // that it was drawn in
};

// Of the frame drawn last, in the order of drawing. Blanks are not drawn.
std::vector<DrawnText> drawn_texts();

}  // namespace headlight_test
