// The output at large as what each head adds to it.
#pragma once

#include "app/ui/kit/area.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// `output` beside the parts of the shown heads, whose sum it is, all in one range of colours. Probed as
// "focus.output.h0" and "focus.output.part<head>".
void draw_by_head(UiContext& ui, HeatmapCache& cache, const Area& area);

}  // namespace headlight
