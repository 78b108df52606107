// The "lesson" object of a session file, as it is saved.
#pragma once

#include "engine/arrays/json_writer.h"
#include "engine/session/lesson.h"

namespace headlight {

// What is saved can be opened: the lesson as far as it fits a model that has been changed since. Steps whose
// cells, quotes or settings it has no place for are left out, and the first address is one that it has.
Lesson fitting_lesson(const Lesson& lesson, const Model& model);

void write_lesson(JsonWriter& out, const Lesson& lesson);

}  // namespace headlight
