#include "app/figure/paint/cairo_curve.h"

#include <cmath>

#include "app/figure/paint/pango_text.h"

namespace headlight {
namespace {

// From the context's point, which is at one of its ends, to the other one.
void go_along(cairo_t* context, const Curve& path) {
  if (is_straight(path))
    cairo_line_to(context, path.to.x, path.to.y);
  else
    cairo_curve_to(context, path.from_control.x, path.from_control.y, path.to_control.x, path.to_control.y,
                   path.to.x, path.to.y);
}

}  // namespace

void paint_on(cairo_t* context, const PlannedBand& band) {
  const auto [upper, lower] = band_edges(band.path, band.width, band.to_width);
  set_color(context, band.color);
  cairo_move_to(context, upper.from.x, upper.from.y);
  go_along(context, upper);
  cairo_line_to(context, lower.to.x, lower.to.y);
  go_along(context, reversed(lower));
  cairo_close_path(context);
  cairo_fill(context);
}

void paint_on(cairo_t* context, const PlannedCurve& curve) {
  set_color(context, curve.color);
  cairo_set_line_width(context, curve.width);
  cairo_move_to(context, curve.path.from.x, curve.path.from.y);
  go_along(context, curve.path);
  cairo_set_dash(context, &curve.dash, curve.dash > 0 ? 1 : 0, 0);
  cairo_stroke(context);
  cairo_set_dash(context, nullptr, 0, 0);
}

void paint_on(cairo_t* context, const std::array<Point, 3>& corners, Color color, Point at) {
  set_color(context, color);
  for (const Point& corner : corners)
    cairo_line_to(context, at.x + corner.x, at.y + corner.y);
  cairo_close_path(context);
  cairo_fill(context);
}

void paint_on(cairo_t* context, const PlannedDot& dot, Point at) {
  set_color(context, dot.color);
  cairo_set_line_width(context, dot.radius * 0.4);
  cairo_arc(context, at.x + dot.x, at.y + dot.y, dot.radius, 0, 2 * M_PI);
  dot.ring ? cairo_stroke(context) : cairo_fill(context);
}

}  // namespace headlight
