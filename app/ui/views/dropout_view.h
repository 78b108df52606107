// Dropout at large: what it takes away, and what is left on the mean.
#pragma once

#include "app/ui/kit/area.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/dropout_play.h"

namespace headlight {

// For each shown head the weights before, the noise, the weights after, and the mean of many draws once it is
// asked for. Probed as "focus.dropped.h0", ".before", ".noise" and ".mean" behind it.
void draw_dropout(UiContext& ui, HeatmapCache& cache, DropoutPlay& play, const Area& area);

}  // namespace headlight
