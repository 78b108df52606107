// One table of a finding in the window: a heatmap, a list, or a text coloured by its numbers.
#pragma once

#include "app/ui/widgets/area.h"
#include "engine/questions/finding.h"

namespace headlight {

// Names: "model.question.answer". Its cells and words explain themselves under the pointer.
void finding_view(UiContext& ui, const FindingTable& table, const Area& area);

}  // namespace headlight
