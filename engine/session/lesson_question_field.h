// Reads and writes the question of a lesson's step, and the values that steps and questions share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"
#include "engine/json/mistakes.h"
#include "engine/session/lesson.h"
#include "engine/session/lesson_settings_field.h"

namespace headlight {

// The layer of a step, the lesson's layer as it opens, and how it may be trained.
struct StepModels {
  const Layer& now;
  const Layer& opened;
  const LessonTraining& training;
};

// `step`: the step so far, whose stage, sequence and head are the defaults. With mistakes, which name their
// places, the question is incomplete.
LessonQuestion read_question(const Json& value, const std::string& place, const LessonStep& step,
                             const StepModels& layers, Mistakes& mistakes);
void write_question(JsonWriter& out, const LessonQuestion& question);
// Whether what the question asks exists in the layer; for its texts see references_exist(). Throws Error if
// its change does not fit.
bool question_fits(const LessonQuestion& question, const Layer& layer);

Stage read_stage(const JsonFields& fields, Stage fallback);
const Json& list_value(const Json& value, std::string_view place, std::string_view example);
// Indices below `count`; empty if the key is missing.
std::vector<Index> read_indices(const JsonFields& fields, const std::string& key, Index count);
// An empty text, with a mistake for everything in it that cannot be parsed and every reference that does not
// exist, if there are any.
LessonText read_text(const JsonFields& fields, const std::string& key, const LessonStep& step,
                     const StepModels& layers, Mistakes& mistakes);
bool references_exist(const LessonText& text, const StepModels& layers);

}  // namespace headlight
