// Learning beside the text of a lesson: the button that trains, what the text names, the loss and its curve;
// the rest in a menu "learning.more".
#pragma once

#include "app/ui/learning/learning_panel.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// 0 while learning is not shown. The height that it has at most, in a narrow column: it does not depend on
// what was drawn before.
float learning_card_height(const UiContext& ui, const LearningPanelState& state);
float most_learning_card_height(const UiContext& ui, const LearningPanelState& state);

// Precondition: the height of `area` is that of learning_card_height().
void learning_card(UiContext& ui, LearningPanelState& state, const Area& area);

}  // namespace headlight
