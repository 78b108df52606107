// The outline of a lesson step around the stage and the cells that it points at, with a line to the lesson's
// text. Nothing else is dimmed, and it takes no input.
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

// Draws the outline over a finished card or large picture if the step points at this stage.
void spotlight_card(UiContext& ui, Stage stage, ImVec2 at, ImVec2 size);

// Outlines the cells that the step points at, over a finished heatmap with its top left corner at `origin`.
void spotlight_cells(UiContext& ui, const HeatmapSpot& spot, const Tile& tile, const HeatmapPlan& plan,
                     ImVec2 origin);

// Draws the line from the largest outline to the text at `panel`, in the gap between them. Call after all
// panels.
void spotlight_connector(UiContext& ui, const Rect& panel);

}  // namespace headlight
