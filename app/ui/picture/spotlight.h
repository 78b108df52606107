// The light of a lesson's step: an outline around the stage and the cells that it speaks of, joined to its
// text. Nothing else is dimmed, and it never takes input.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// What a step points at, as blocks of a matrix of `rows` x `columns`: neighbouring rows and columns make one
// block. None when it points at the stage as a whole.
std::vector<CellBlock> spotlight_blocks(const LessonStep& step, Index rows, Index columns);

// Moves the light on: in when the step is `lit`, out when it is not. Once a frame, before the panels.
void move_light(UiContext& ui, bool lit);

// Over a finished card or large picture: the outline, if the step speaks of this stage.
void spotlight_card(UiContext& ui, Stage stage, ImVec2 at, ImVec2 size);

// Over a finished heatmap with its top left corner at `origin`: outlines the cells that the step points at.
void spotlight_cells(UiContext& ui, const HeatmapSpot& spot, const Tile& tile, const HeatmapPlan& plan,
                     ImVec2 origin);

// From the large outline to the text at `panel`, in the gap between them. After all panels.
void spotlight_connector(UiContext& ui, const Rect& panel);

}  // namespace headlight
