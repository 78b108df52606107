// The "lesson" object of a session file.
#pragma once

#include <vector>

#include "engine/core/error.h"
#include "engine/json/json_document.h"
#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"
#include "engine/session/lesson.h"
#include "engine/session/lesson_settings_field.h"

namespace headlight {

// Precondition: `layer` is valid, so that every address and reference can be checked. Throws Error that names
// the place, like "lesson.steps[2].text". `faults`: see load_session().
Lesson read_lesson(const Json& value, const Layer& layer, const LessonTraining& training,
                   std::vector<Error>* faults);
void write_lesson(JsonWriter& out, const Lesson& lesson);

// The keys "labels", "glossary" and "decimal", which may be missing; of English nothing is written.
LessonLanguage read_language(const JsonFields& fields);
void write_language(JsonWriter& out, const LessonLanguage& language);

// The part of the lesson that fits a layer that was changed since, so that a saved session can be opened:
// drops steps whose cells, references or settings do not fit, and clamps the first address to the stage.
// learns: whether the session has a goal and settings of training; without them, steps that train are
// dropped.
Lesson fitting_lesson(const Lesson& lesson, const Layer& layer, bool learns);

}  // namespace headlight
