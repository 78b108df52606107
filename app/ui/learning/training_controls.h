// The controls of a training and its loss as a curve.
//
// Names: "learning.learn" ("playing" while it plays), "learning.step", "learning.back", "learning.reset",
// "learning.speed", "learning.optimizer", "learning.rate", "learning.parts" with
// "learning.part.<embeddings|query|key|value|output>", "learning.curve" (the present step),
// "learning.axis.low", "learning.axis.high", "learning.state" (the line of words).
#pragma once

#include "app/ui/learning/learning_run.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

struct TrainingControlsState {
  LearningRun run;
  TextFieldState rate;
  std::optional<Index> dragged;  // the step that the handle of the curve was dragged to
  bool waits = false;            // a lesson asks for a guess first
};

// One line of controls from the cursor on, as far as `width` allows.
void training_controls(UiContext& ui, TrainingControlsState& state, float width);
// The controls on a card beside a lesson: the buttons that each step needs, and *Reset* if the lesson names
// it.
void run_buttons(UiContext& ui, TrainingControlsState& state, Flow& flow);
void choose_rate(UiContext& ui, TrainingControlsState& state, Flow& flow);
// Everything else.
void training_settings(UiContext& ui, TrainingControlsState& state, Flow& flow);
// The loss over the steps, with a handle at the present one: a drag goes to the step under the pointer.
void loss_curve(UiContext& ui, TrainingControlsState& state, const Area& area);
// "step 110", and where the training stopped; "" before it began.
std::string training_words(const UiContext& ui, const TrainingControlsState& state);

}  // namespace headlight
