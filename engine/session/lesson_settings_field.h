// Reads and writes the settings of a lesson's step and the change that it asks for.
#pragma once

#include <memory>
#include <optional>

#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"
#include "engine/session/lesson_settings.h"

namespace headlight {

// What the session says about training.
struct LessonTraining {
  std::shared_ptr<const Goal> goal;          // null: it has none
  std::optional<TrainingSettings> settings;  // none: it has none
};

// Read the value of `key` and apply it to `layer`. Throw Error that names the place if it cannot be read or
// does not fit the layer. Precondition: the key exists.
LessonSettings fitting_settings(const JsonFields& fields, const char* key, Layer& layer);
LessonChange fitting_change(const JsonFields& fields, const char* key, Layer& layer,
                            const LessonTraining& session);

void write_settings(JsonWriter& out, const LessonSettings& settings);
void write_change(JsonWriter& out, const LessonChange& change);

// Write the key and the value; nothing if there is no value.
void write_whole(JsonWriter& out, const char* key, const std::optional<Index>& number);
template <class E, std::size_t N>
void write_word(JsonWriter& out, const char* key, const std::array<Word<E>, N>& words,
                const std::optional<E>& value) {
  if (!value) return;
  out.key(key);
  out.text(word_of(words, *value));
}

}  // namespace headlight
