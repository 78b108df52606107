// What a step says outside of every {if}, and what its own change makes false.
#pragma once

#include <string>
#include <vector>

#include "app/lesson_text/value_source.h"
#include "engine/session/lesson_text.h"

namespace headlight {

// The claims of the text that hold as the step asks and not once its change is made: words for a setting that
// the change switches ("Without a mask"), and a number said to be that of the beginning ("It starts with a
// loss of {loss}") that the change moves. Words in {fixed} hold whatever is changed.
std::vector<std::string> outdated_claims(const LessonText& text, const ReferencedStates& asked,
                                         const ReferencedStates& done);

}  // namespace headlight
