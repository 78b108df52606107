// Learning: what is wanted of the weights, how far they are from it, and training them towards it.
//
// Names: "learning.area", "learning.goal", "learning.heads", "learning.brush.<want|not|free>", on a stage of
// numbers "learning.brush.number" and "learning.number", "learning.loss" (the loss with all digits),
// "learning.trouble"; those of training_controls.h.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/learning/goal_choice.h"
#include "app/ui/learning/training_controls.h"

namespace headlight {

struct LearningPanelState {
  bool shown = false;
  GoalName name;
  std::optional<Index> head;  // the one that a chosen goal is for; none: all
  TextFieldState number;      // what the brush for numbers wants
  std::string trouble;        // why the last choice was refused
  TrainingControlsState training;
  float controls_px = 0;  // height of the controls of the card, as last drawn
};

// Call once a frame while a session is open, whether the panel is shown or not.
void follow_learning(UiContext& ui, LearningPanelState& state);

// The height that the panel takes below the large picture, with the gap above it, of `available` for both. In
// little room it is lower: without the curve and the choice of a goal; and last it is left out. 0 while it is
// not shown.
float learning_height(const UiContext& ui, const LearningPanelState& state, float available);

void learning_panel(UiContext& ui, LearningPanelState& state, ImVec2 at, ImVec2 size);

// Shows gradients or hides them; without a goal, opens the panel to choose one.
void toggle_gradients(UiContext& ui, LearningPanelState& state);

}  // namespace headlight
