// The "lesson" object of a session file, as it is saved.
#pragma once

#include "engine/formats/json_writer.h"
#include "engine/formats/lesson.h"

namespace headlight {

void write_lesson(JsonWriter& out, const Lesson& lesson);

}  // namespace headlight
