// The large view of dropout: its effect on one draw, and the mean of many draws.
#pragma once

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/views/dropout_play.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// Draws for each shown head the weights before dropout, the noise, the weights after it, and the mean of many
// draws once it is requested. Probed as "focus.dropped.h0" with ".before", ".noise", "" and ".mean" appended.
void draw_dropout(UiContext& ui, HeatmapCache& cache, DropoutPlay& play, const Area& area);

}  // namespace headlight
