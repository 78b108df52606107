// The "lesson" object of a session file.
#pragma once

#include "engine/arrays/json_document.h"
#include "engine/session/lesson.h"

namespace headlight {

// model: valid, so that every address and every quote can be checked. Throws Error that names the place, as
// "lesson.steps[2].text".
Lesson read_lesson(const Json& value, const Model& model);

}  // namespace headlight
