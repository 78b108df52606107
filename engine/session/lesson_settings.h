// Settings that a step of a lesson needs, and what it changes when it is done for the reader.
#pragma once

#include <optional>
#include <vector>

#include "engine/model/model.h"

namespace headlight {

// The settings that a step needs; what is absent stays as the lesson opens with it.
struct LessonSettings {
  std::optional<Projection> projection;
  std::optional<Index> d_out, num_heads;
  std::optional<bool> qkv_bias, output_projection;
  std::optional<Scale> scale;
  std::optional<MaskKind> mask;  // None or Causal
  std::optional<Normalization> normalization;
  std::optional<double> dropout_probability;
  std::optional<bool> dropout_training;
  std::optional<std::optional<std::int64_t>> dropout_seed;  // none inside: the stream of the weights goes on
  std::optional<std::vector<Index>> disabled_heads;
  bool operator==(const LessonSettings&) const = default;
  bool empty() const { return *this == LessonSettings{}; }
};

// Carries the settings out, shapes first. Throws Error when they do not fit together; the model is then as it
// was.
void apply_settings(const LessonSettings& settings, Model& model);

// What is needed to come from a step's settings to another's: those of `next`, and for what only `before`
// names, that of the lesson as it opened.
LessonSettings settings_between(const LessonSettings& before, const LessonSettings& next,
                                const Model& opened);

// One number of the inputs, of the first sequence; indices count from 0.
struct ChangedNumber {
  std::optional<Parameter> parameter;  // of the weights as they are stored; none: of the embeddings
  Index row = 0, column = 0;
  float value = 0;
  bool operator==(const ChangedNumber&) const = default;
};

// What a step asks to do: its settings first, then the numbers.
struct LessonChange {
  LessonSettings settings;
  std::vector<ChangedNumber> numbers;
  bool operator==(const LessonChange&) const = default;
};

// Carries the change out. Throws Error when the settings do not fit together, or a number is not there; the
// model is then as it was.
void apply_change(const LessonChange& change, Model& model);

}  // namespace headlight
