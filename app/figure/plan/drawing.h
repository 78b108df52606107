// Drawing: the laid-out elements of a picture that is not a heatmap, the same for every painter.
#pragma once

#include <vector>

#include "app/figure/plan/curve.h"
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
struct PlannedBand {  // along a curve that is level at its ends, where it is cut off upright
  Curve path;
  double width = 1, to_width = 1;  // at its two ends
  Color color;
};
struct PlannedCurve {  // as wide all along, and cut off at right angles at its ends
  Curve path;
  double width = 1;
  Color color;
  double dash = 0;  // length of its dashes and of the gaps between them; 0: it has none
};
struct PlannedTriangle {  // the head of an arrow
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0;
  Color color;
};

// Painted in this order. Colours may be transparent.
struct Drawing {
  double width = 0, height = 0;
  std::vector<PlannedFill> fills;
  PlannedHatching hatching;
  std::vector<PlannedBand> bands;
  std::vector<PlannedCurve> curves;
  std::vector<PlannedLine> strokes;  // not snapped to pixels
  std::vector<PlannedLine> lines;    // snapped to pixels if horizontal or vertical
  std::vector<PlannedBox> boxes;
  std::vector<PlannedTriangle> triangles;
  std::vector<PlannedDot> dots;
  std::vector<PlannedText> texts;
};

inline Color with_opacity(Color color, double opacity) {
  color.a = static_cast<std::uint8_t>(opacity <= 0 ? 0 : opacity >= 1 ? 255 : opacity * 255 + 0.5);
  return color;
}

// A text of the size of labels, with its anchor at (x, y).
PlannedText planned_label(const FigureStyle& style, const std::string& text, double x, double y,
                          Anchor anchor, Color color);

}  // namespace headlight
