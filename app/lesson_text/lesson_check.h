// What is wrong with a lesson, for those who write one.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

struct LessonFault {
  std::string place;  // "step 3, text", counted from 1; "" of the whole lesson
  std::string what;   // and how to mend it
};

// Everything that is wrong with what the lesson says and shows as it opens: numbers and comparisons that are
// typed, conditions that do not hold, and that no state of the model could decide, steps that light nothing,
// changes that change nothing. Steps that could not be read (LessonStep::unread) are passed over. Computes a
// pass for each step.
std::vector<LessonFault> lesson_faults(const Session& session);

}  // namespace headlight
