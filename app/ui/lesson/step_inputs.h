// What a lesson's step sends the reader to: its inputs, and controls by their names. The others are folded or
// in menus while it is shown.
#pragma once

#include <string_view>
#include <vector>

#include "app/ui/lesson/panel_text.h"
#include "engine/session/lesson.h"

namespace headlight {

struct StepInputs {
  bool embeddings = false, weights = false;
  bool operator==(const StepInputs&) const = default;
};

// The inputs that the step's pointer, its texts, its question or the change of the question name: by a
// reference to a number of the input, by a control ({control inputs}), or by a word ("embedding", "W_query",
// "at the left"). What is tried at a token concerns the embeddings.
StepInputs inputs_of(const LessonStep& step);

// The controls that the shown step's texts name as they read now, {control learn}, by their probe names.
std::vector<std::string_view> named_controls(UiContext& ui, const LessonGuide& guide, const LessonStep& step);

}  // namespace headlight
