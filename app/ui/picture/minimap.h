// The whole of a large matrix in small, beside its pictures, while these show a part of it: a frame is around
// what is in sight, and a click or a drag goes elsewhere.
#pragma once

#include "app/ui/kit/area.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// Draws the map in a strip of the area when there is one to draw and room for it. Returns what is left for
// the pictures. Probed as "focus.map", its frame as "focus.map.frame".
Area beside_minimap(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area);

}  // namespace headlight
