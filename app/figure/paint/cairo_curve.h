// Planned curves and bands on a Cairo context, the same in pixels and in PDF.
#pragma once

#include <cairo/cairo.h>

#include "app/figure/plan/drawing.h"

namespace headlight {

void paint_on(cairo_t* context, const PlannedBand& band);
void paint_on(cairo_t* context, const PlannedCurve& curve);

}  // namespace headlight
