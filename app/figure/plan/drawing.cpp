#include "app/figure/plan/drawing.h"

namespace headlight {

PlannedText planned_label(const FigureStyle& style, const std::string& text, double x, double y,
                          Anchor anchor, Color color) {
  PlannedText planned;
  planned.text = text;
  planned.x = x;
  planned.y = y;
  planned.size_px = style.label_size_px;
  planned.anchor = anchor;
  planned.color = color;
  return planned;
}

}  // namespace headlight
