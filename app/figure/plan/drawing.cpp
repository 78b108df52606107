#include "app/figure/plan/drawing.h"

#include <algorithm>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kKeyPitch = 6;

}  // namespace

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

void add_hatching(Drawing& drawing, const Rect& rect, const Rect& hole, const FigureStyle& style) {
  const Color color = mix(style.neutral, style.quiet_text, 0.45);
  const double width = whole_px(style, 1), pitch = scaled_px(style, kKeyPitch);
  // `start`: the x at which a diagonal, rising to the right, crosses the bottom.
  for (double start = rect.x - rect.height + pitch; start < rect.right(); start += pitch) {
    const auto add = [&](double from, double to) {
      if (to - from < 0.5) return;
      drawing.strokes.push_back(
          {from, rect.bottom() - (from - start), to, rect.bottom() - (to - start), width, color});
    };
    const double from = std::max(start, rect.x), to = std::min(start + rect.height, rect.right());
    const double hole_from = std::max(hole.x, start + rect.bottom() - hole.bottom());
    const double hole_to = std::min(hole.right(), start + rect.bottom() - hole.y);
    if (hole.width <= 0 || hole_to <= hole_from) {
      add(from, to);
    } else {
      add(from, std::min(to, hole_from));
      add(std::max(from, hole_to), to);
    }
  }
}

}  // namespace headlight
