// Parts that the panel *Learning* and the card of a lesson share; private to the module.
#pragma once

#include <string>

#include "app/ui/learning/learning_panel.h"
#include "app/ui/widgets/flow_layout.h"

namespace headlight {

// The choice of a goal and its head, and the brushes that paint one.
void goal_controls(UiContext& ui, LearningPanelState& state, Flow& flow);
void brush_controls(UiContext& ui, LearningPanelState& state, Flow& flow);

// What is said of the loss. An empty value: `trouble` says why there is none, or what to do first.
struct LossText {
  std::string value, reached;  // "loss 1.7918", "reached 17 %"
  std::string exact;           // all digits
  std::string trouble;
  bool failed = false;  // `trouble` is an error
};
LossText loss_text(const UiContext& ui, const LearningPanelState& state);
void loss_trouble(UiContext& ui, const LossText& loss, ImVec2 at, float width);
// Names the place of the loss, with its meaning as a tooltip.
void mark_loss(UiContext& ui, const LossText& loss, const Area& place);
// The line of words about the training, in the label font.
void training_state(UiContext& ui, const TrainingControlsState& training, const std::string& words, ImVec2 at,
                    float width);

}  // namespace headlight
