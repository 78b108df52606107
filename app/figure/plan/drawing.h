// A picture that is not a heatmap, laid out: what it is made of, for every painter alike.
#pragma once

#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

struct PlannedFill {
  Rect rect;
  Color color;
};
struct PlannedDot {
  double x = 0, y = 0, radius = 3;
  Color color;
  bool ring = false;  // an outline only
};
struct PlannedTriangle {  // the head of an arrow
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0;
  Color color;
};

// Painted in this order. Colours carry their opacity.
struct Drawing {
  double width = 0, height = 0;
  std::vector<PlannedFill> fills;
  std::vector<PlannedLine> strokes;  // as thin and as slanted as they are
  std::vector<PlannedLine> lines;    // on whole pixels, where they are level or upright
  std::vector<PlannedBox> boxes;
  std::vector<PlannedTriangle> triangles;
  std::vector<PlannedDot> dots;
  std::vector<PlannedText> texts;
};

inline Color with_opacity(Color color, double opacity) {
  color.a = static_cast<std::uint8_t>(opacity <= 0 ? 0 : opacity >= 1 ? 255 : opacity * 255 + 0.5);
  return color;
}

// Text of the label's size, its anchor at (x, y).
PlannedText planned_label(const FigureStyle& style, const std::string& text, double x, double y,
                          Anchor anchor, Color color);

// Fills `rect` with thin diagonals, as masked cells have them, leaving `hole` free when it is not empty.
void add_hatching(Drawing& drawing, const Rect& rect, const Rect& hole, const FigureStyle& style);

}  // namespace headlight
