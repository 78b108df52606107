// The "lesson" object of a session file.
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/session/lesson.h"

namespace headlight {

// model: valid, so that every address and every reference can be checked. Throws Error that names the place,
// as "lesson.steps[2].text". `faults`: where those of steps are told instead; see load_session().
Lesson read_lesson(const Json& value, const Model& model, std::vector<Error>* faults);
void write_lesson(JsonWriter& out, const Lesson& lesson);

// What is saved can be opened: the lesson as far as it fits a model that has been changed since. Steps whose
// cells, references or settings it has no place for are left out, and the first address is one that it has.
Lesson fitting_lesson(const Lesson& lesson, const Model& model);

}  // namespace headlight
