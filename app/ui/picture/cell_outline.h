// The outline of a cell, a row or a column of a picture.
#pragma once

#include <imgui.h>

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/picture/linked_cells.h"
#include "app/ui/widgets/marks.h"

namespace headlight {

// `shown` is in rows and columns of the plan, which is drawn at `origin`. `alpha`: 0 to 1.
void outline_cells(const UiContext& ui, const HeatmapPlan& plan, const LinkedCells& shown, ImVec2 origin,
                   double alpha, Mark mark = Mark::Selected);

}  // namespace headlight
