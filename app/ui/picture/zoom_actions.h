// What can be done with the part of the large heatmaps that is in sight, for the table of actions.
#pragma once

#include <vector>

#include "app/ui/frame/action_table.h"

namespace headlight {

std::vector<ActionEntry> zoom_actions();

}  // namespace headlight
