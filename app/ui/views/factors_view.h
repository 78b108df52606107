// The factors of a stage that is a matrix product, such as Q = X · W_q, drawn next to it. Outlines the row
// and the column that make the cell under the pointer.
#pragma once

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// The width in pixels that the factors take from `area`; 0 if the stage is no product or the matrices
// together have too many columns to be readable.
float factors_width(const UiContext& ui, Stage stage, const Area& area);

// Draws the factors into `area`, with rows level with the cells of `result`, the stage's first picture.
// Probed as "focus.factor.left" and "focus.factor.right".
void draw_factors(UiContext& ui, HeatmapCache& cache, Stage stage, const LargePicture& result,
                  const Area& area);

}  // namespace headlight
