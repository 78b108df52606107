// The heads of a stage side by side.
#pragma once

#include <string>

#include "app/ui/kit/area.h"
#include "app/ui/picture/mask_painter.h"

namespace headlight {

// All shown heads of a stage in a grid that makes them as large as the area allows, probed as
// "<prefix><stage>.h<head>". `large`: with captions, colour bars and zoom, and painted on where the mask is.
// `one_row`: what stands beside them belongs to the rows of all. Returns whether one of them was
// double-clicked.
bool draw_heads(UiContext& ui, HeatmapCache& cache, MaskPainter& painter, Stage stage, const Area& area,
                const std::string& prefix, bool large, bool one_row = false);

// About what the labels of a picture's rows take beside its cells.
float row_labels_width(const UiContext& ui, Stage stage);

// What the marks in the pictures of a stage mean, at the foot of the area when that is high enough: only
// marks that occur. Returns the height that it takes. Probed as "focus.legend.masked" and so on.
float legend_below(UiContext& ui, Stage stage, const Area& area);

}  // namespace headlight
