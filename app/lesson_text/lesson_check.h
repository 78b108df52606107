// Checks a lesson, for its authors.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.h"

namespace headlight {

struct LessonFault {
  std::string place;  // "step 3, text", counted from 1; "": the whole lesson
  std::string what;   // the fault and how to mend it
};

// The faults of a lesson in the state that it opens in: typed numbers and comparisons, conditions that do not
// hold or that no state of the model can decide, claims that the step's own change makes false, steps that
// highlight nothing, changes without effect, replies whose numbers change after the answer. Of a step that
// could not be read (LessonStep::unread) only the wording. Cost: two passes per step.
std::vector<LessonFault> lesson_faults(const Session& session);

}  // namespace headlight
