// Planned curves, bands, triangles and dots on a Cairo context, the same in pixels and in PDF.
#pragma once

#include <cairo/cairo.h>

#include <array>

#include "app/figure/plan/drawing.h"

namespace headlight {

void paint_on(cairo_t* context, const PlannedBand& band);
void paint_on(cairo_t* context, const PlannedCurve& curve);
// `at`: as in painter.h.
void paint_on(cairo_t* context, const std::array<Point, 3>& corners, Color color, Point at);
void paint_on(cairo_t* context, const PlannedDot& dot, Point at);

}  // namespace headlight
