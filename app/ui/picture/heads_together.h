// The large view of a stage with all its heads in one heatmap: each cell's mean, or its largest number.
#pragma once

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// Whether the large heatmap of the stage can put its heads together.
bool can_pool_heads(const UiContext& ui, Stage stage);
// Whether it does.
bool shows_heads_together(const UiContext& ui, Stage stage);

// Probed as "focus.<stage>.together". A cell addresses that of the head whose number is the largest there.
void draw_heads_together(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area);

}  // namespace headlight
