// The motion of a cell's computation on screen: the cell, and its plan from the numbers of the view results.
#pragma once

#include <optional>

#include "app/export/motion_of.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

// The cell whose computation is played: the selected one of the large stage, else one of the shown head and
// query; nullopt if the stage has no motion.
std::optional<CellAddress> motion_cell(const UiContext& ui);

// Requests the numbers; the plan in a room of width x height pixels, empty until they have arrived.
// Precondition: the stage has a motion and the cell exists.
MotionPlan motion_of(UiContext& ui, const CellAddress& cell, double width, double height);

}  // namespace headlight
