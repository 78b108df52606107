// Overview of a large matrix beside its pictures while they show a part of it: a frame marks the visible
// region, and a click or a drag moves it.
#pragma once

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// Draws the map in a strip of the area if the stage is zoomed and there is room for it. Returns the area left
// for the pictures. Probed as "focus.map", its frame as "focus.map.frame".
Area beside_minimap(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area);

}  // namespace headlight
