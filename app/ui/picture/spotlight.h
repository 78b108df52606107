// The spotlight of a lesson's step: its stage and cells glow, everything else among the stages stands back
// under a veil. It never takes input.
#pragma once

#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// What a step points at, as blocks of a matrix of `rows` x `columns`: neighbouring rows and columns make one
// block. None when it points at the stage as a whole.
std::vector<CellBlock> spotlight_blocks(const LessonStep& step, Index rows, Index columns);

// Moves the veil on: in when the spotlight is `lit`, out when it is not. Once a frame, before the panels.
void move_veil(UiContext& ui, bool lit);

// Over a finished card or large picture: the veil, or the glow around the stage that is pointed at.
void spotlight_card(UiContext& ui, Stage stage, ImVec2 at, ImVec2 size);

// Over a finished heatmap with its top left corner at `origin`: dims what is not pointed at, outlines what
// is.
void spotlight_cells(UiContext& ui, const HeatmapSpot& spot, const Tile& tile, const HeatmapPlan& plan,
                     ImVec2 origin);

}  // namespace headlight
