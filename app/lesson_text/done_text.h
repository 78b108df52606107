// What the program has changed for the reader, told in the past.
#pragma once

#include <string>
#include <vector>

#include "app/lesson_text/evaluated_runs.h"
#include "engine/core/counting.h"
#include "engine/session/lesson.h"

namespace headlight {

// "Done: the first number of “bank” is 0 now, the second number of “bank” is 3 now." Of more than three
// numbers, how many and where. `before`: the model without the change.
std::string done_text(const LessonChange& change, const Model& before, Counting counting);

// The text of a try without its first sentence. A try with a change begins with the sentence that says it.
std::vector<EvaluatedRun> after_first_sentence(std::vector<EvaluatedRun> runs);

}  // namespace headlight
