// The controls of the window that a lesson's text may name, {control many_draws}: the only list of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

// When a control is on screen in a step.
enum class ControlPlace {
  Everywhere,    // in every step
  Changed,       // once something was changed in the lesson
  Layer,         // in steps without a whole model's pages: the settings and inputs of a layer
  Weights,       // if the step has weight matrices
  KeyTokens,     // if the keys have tokens of their own
  SeveralHeads,  // if the step has more than one head
  Pairs,         // above the heatmaps of a stage with a row and a column for tokens
  Dropped,       // above the heatmaps of the stage dropped
  Learning,      // in steps with "learning": true
  Gradients,     // if the session has a goal
  Pages,         // in steps with the view "model" of a whole model
  WholeModel,    // in a session with a whole model
  Stage,         // in the strip, if the model has the stage
};

// What a reader does with it. Open: what is open already stays so.
enum class ControlUse { Press, Choose, Type, Drag, Open };

struct LessonControl {
  std::string name;   // as in {control NAME}
  std::string label;  // on screen
  std::string probe;  // name of the widget
  ControlPlace place = ControlPlace::Everywhere;
  ControlUse use = ControlUse::Press;
  Stage stage = Stage::Embeddings;  // of ControlPlace::Stage
};

const std::vector<LessonControl>& lesson_controls();
// Null: there is none of this name.
const LessonControl* lesson_control(std::string_view name);
// The controls that the pieces name, in the order of the text, without unknown ones.
std::vector<const LessonControl*> controls_of(const std::vector<TextPiece>& pieces);

// Why the control is not on screen in the step, in the words of a hint; "": it is. `before`: the controls
// that the step names earlier, which may bring it on screen. Precondition: `model` has the step's settings.
std::string control_missing(const LessonControl& control, const LessonStep& step, const Layer& layer,
                            const Session& session, const std::vector<const LessonControl*>& before);

// "there is no control “lern”, the nearest is learn; known are ...".
std::string unknown_control(std::string_view name);

}  // namespace headlight
