// Heat text: the tokens of a text in lines, each on the colour of its number.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/figure/color/color_scale.h"
#include "app/figure/plan/drawing.h"

namespace headlight {

struct HeatText {
  std::vector<std::string> words;  // as they are shown
  std::vector<float> values;       // one for each word; NaN: the word has no colour
  ColorRange range;
  ColormapKind map = ColormapKind::BlueGreen;
};

struct HeatTextPlan {
  Drawing drawing;
  std::vector<Rect> words;  // where each stands
};

// width: of the lines, in pixels; a word that is wider is shortened to it. With `bar`, the range of colours
// stands below, with the numbers of its ends.
HeatTextPlan plan_heat_text(const HeatText& text, double width, bool bar, const FigureStyle& style,
                            const MeasureText& measure);

}  // namespace headlight
