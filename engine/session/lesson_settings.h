// The settings of a lesson's step, and the change that its question asks for.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/learning/goal.h"
#include "engine/learning/training_settings.h"

namespace headlight {

// The settings that a step needs; an absent one keeps the value that the lesson opens with.
struct LessonSettings {
  std::optional<Projection> projection;
  std::optional<Index> d_out, num_heads;
  std::optional<bool> qkv_bias, output_projection;
  std::optional<Scale> scale;
  std::optional<MaskKind> mask;  // None or Causal
  std::optional<Normalization> normalization;
  std::optional<double> dropout_probability;
  std::optional<bool> dropout_training;
  std::optional<std::optional<std::int64_t>> dropout_seed;  // inner none: the weights' stream continues
  std::optional<std::vector<Index>> disabled_heads;
  bool operator==(const LessonSettings&) const = default;
  bool empty() const { return *this == LessonSettings{}; }
};

// Applies the settings, shapes first. Throws Error if they do not fit together; the layer is then unchanged.
void apply_settings(const LessonSettings& settings, Layer& layer);

// `settings` with those of the layer that a step can name and that change no shape; its mask only if that is
// none or causal.
LessonSettings with_settings_of(const Layer& layer, LessonSettings settings);

// The settings that lead from step `before` to step `next`: those of `next`, and the opened lesson's values
// for those that only `before` names.
LessonSettings settings_between(const LessonSettings& before, const LessonSettings& next,
                                const Layer& opened);

// One number of the inputs, in the first sequence; indices count from 0.
struct ChangedNumber {
  std::optional<Parameter> parameter;  // the weight matrix, indexed as it is stored; none: the embeddings
  Index row = 0, column = 0;
  float value = 0;
  bool operator==(const ChangedNumber&) const = default;
};

inline constexpr Index kMostLessonSteps = 10'000, kMostLessonDraws = 10'000;

// Steps of training towards the goal of the session, with its settings.
struct LessonLearning {
  Index steps = 1;             // at most kMostLessonSteps
  std::optional<double> rate;  // another one than the session's
  // The session's goal and its settings of training; not part of the change's own text.
  std::shared_ptr<const Goal> goal = {};
  TrainingSettings training = {};
  bool operator==(const LessonLearning& other) const { return steps == other.steps && rate == other.rate; }
};

// The change that a step asks for: the settings are applied first, then the numbers, then it is trained, and
// then dropout is drawn `draws` times, whose mean the reader watches: that changes nothing.
struct LessonChange {
  LessonSettings settings;
  std::vector<ChangedNumber> numbers;
  std::optional<LessonLearning> learning;
  Index draws = 0;
  bool operator==(const LessonChange&) const = default;
};

// Applies the change. A training that diverges stops before the step that would not be finite. Throws Error
// if the settings do not fit together, a number does not exist, or the goal does not fit; the layer is then
// unchanged.
void apply_change(const LessonChange& change, Layer& layer);

}  // namespace headlight
