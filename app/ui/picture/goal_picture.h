// The goal on the pictures: the cells of which something is wanted, painting them, and the pictures of
// gradients.
#pragma once

#include "app/figure/plan/heatmap_plan.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/picture/mask_painter.h"

namespace headlight {

// The colours of a stage's gradients: symmetric about zero.
StageColors gradient_colors(const UiContext& ui, Stage stage);

// Outlines the cells of which the goal wants something: the keys that a row of a cross entropy wants, the
// numbers of a squared loss. `tile`: the picture's. Nothing if it is of another stage, or pooled.
void draw_goal(const UiContext& ui, const Tile& tile, const HeatmapPlan& plan, ImVec2 origin);

// Whether the brushes want single numbers of the stage, as a squared loss. The weights have brushes of their
// own, for shares of a row.
bool wants_numbers(Stage stage);

// Applies the pointer of this frame to the goal with the chosen brush, on a large picture of a stage. On a
// stage of numbers AttendHere wants ViewState::goal_number. Sends one command if the goal changes; the
// commands of a stroke are one undo step.
void paint_goal(UiContext& ui, MaskPainter& painter, Stage stage, const HeatmapResult& result);

// Requests the gradients that the tiles and traces requested so far need. Call after all panels.
void request_gradients(UiContext& ui, bool loss_shown);

}  // namespace headlight
