// The large view of the output as a sum of one part per head.
#pragma once

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// Draws `output` beside the parts of the shown heads, whose sum it is, in one colour range. Probed as
// "focus.output.h0" and "focus.output.part<head>".
void draw_by_head(UiContext& ui, HeatmapCache& cache, const Area& area);

}  // namespace headlight
