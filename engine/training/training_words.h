// The words for the settings of a model's training, on the command line and in its record.
#pragma once

#include <array>

#include "engine/json/json_fields.h"
#include "engine/training/checkpointed_training.h"

namespace headlight {

inline constexpr std::array<Word<OptimizerKind>, 3> kTrainerWords = {
    {{"adamw", OptimizerKind::AdamW}, {"adam", OptimizerKind::Adam}, {"sgd", OptimizerKind::Sgd}}};
inline constexpr std::array<Word<RateSchedule>, 2> kScheduleWords = {
    {{"constant", RateSchedule::Constant}, {"cosine", RateSchedule::Cosine}}};
inline constexpr std::array<Word<WindowOrder>, 2> kOrderWords = {
    {{"random", WindowOrder::Random}, {"sequential", WindowOrder::Sequential}}};
inline constexpr std::array<Word<SavedFloat>, 2> kSavedFloatWords = {
    {{"f32", SavedFloat::F32}, {"f16", SavedFloat::F16}}};

}  // namespace headlight
