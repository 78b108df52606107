// What a lesson's step sends the reader to: its inputs, and the strip. The others are folded while it is
// shown.
#pragma once

#include "engine/session/lesson.h"

namespace headlight {

struct StepInputs {
  bool embeddings = false, weights = false;
  bool operator==(const StepInputs&) const = default;
};

// Those that the step's pointer, its texts, its question or the change of the question name: by a reference
// to a number of the input, or by a word ("embedding", "W_query", "at the left"). What is tried at a token
// concerns the embeddings.
StepInputs inputs_of(const LessonStep& step);

// Whether a text of the step speaks of the strip or of a setting of it.
bool names_strip(const LessonStep& step);

}  // namespace headlight
