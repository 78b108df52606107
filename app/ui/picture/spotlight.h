// The outline of a lesson step around the cells that it points at. Nothing else is dimmed, and it takes no
// input.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// The cells that a step points at, as blocks of a matrix of `rows` x `columns`: neighbouring rows and columns
// make one block. Empty if it points at the stage as a whole.
std::vector<CellBlock> spotlight_blocks(const LessonStep& step, Index rows, Index columns);

// Advances the outline's fade: in while the step is `lit`, else out. Call once a frame, before the panels.
void move_light(UiContext& ui, bool lit);

// Whether the lesson's step is about this stage, and has not been left.
bool is_pointed_at(const UiContext& ui, Stage stage);

// Outlines the cells that the step points at, over a finished heatmap with its top left corner at `origin`.
void spotlight_cells(UiContext& ui, const HeatmapSpot& spot, const Tile& tile, const HeatmapPlan& plan,
                     ImVec2 origin);

}  // namespace headlight
