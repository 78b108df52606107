// The settings that a lesson's step names, and the change that it asks for, in a session file.
#pragma once

#include <optional>

#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"
#include "engine/session/lesson_settings.h"

namespace headlight {

// Those of `key`, which is there; `model` is then as they have it. Throw Error, with the place, when they
// cannot be understood or do not fit the model.
LessonSettings fitting_settings(const JsonFields& fields, const char* key, Model& model);
LessonChange fitting_change(const JsonFields& fields, const char* key, Model& model);

void write_settings(JsonWriter& out, const LessonSettings& settings);
void write_change(JsonWriter& out, const LessonChange& change);

// A key with its value, where there is one.
void write_flag(JsonWriter& out, const char* key, const std::optional<bool>& flag);
void write_whole(JsonWriter& out, const char* key, const std::optional<Index>& number);
template <class E, std::size_t N>
void write_word(JsonWriter& out, const char* key, const std::array<Word<E>, N>& words,
                const std::optional<E>& value) {
  if (!value) return;
  out.key(key);
  out.text(word_of(words, *value));
}

}  // namespace headlight
