// The motion of a cell's computation: which there is, the numbers that it needs, and its plan.
#pragma once

#include <optional>
#include <string>

#include "app/figure/motion/motion_plan.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// Whether the computation of the stage's cells can be played: stages that copy or are given have none.
bool has_motion(const Layer& layer, Stage stage);

// The cell whose computation is played: the selected one of the large stage, else one of the shown head and
// query; nullopt if the stage has no motion.
std::optional<CellAddress> motion_cell(const UiContext& ui);

// "scores[with (3), one (4)]", as in lists and tests.
std::string motion_title(const UiContext& ui, const CellAddress& cell);

// Requests the numbers; the plan in a room of width x height pixels, empty until they have arrived.
// Precondition: the stage has a motion and the cell exists.
MotionPlan motion_of(UiContext& ui, const CellAddress& cell, double width, double height);

}  // namespace headlight
