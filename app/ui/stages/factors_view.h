// The product that a narrow matrix is, beside it: Q = X · W_q, with the row and the column that the cell
// under the pointer is made of.
#pragma once

#include "app/ui/kit/area.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// What of `area` is left to the factors of the stage, in pixels; 0 where it is no product, or where the
// matrices together have too many columns to be read.
float factors_width(const UiContext& ui, Stage stage, const Area& area);

// Draws them into `area`, their rows level with the cells of `result`: the stage's first picture. Probed as
// "focus.factor.left" and "focus.factor.right".
void draw_factors(UiContext& ui, HeatmapCache& cache, Stage stage, const LargePicture& result,
                  const Area& area);

}  // namespace headlight
