#include "engine/keeping/keeping_choice.h"

#include <cstdio>

#include "engine/core/error.h"
#include "engine/core/machine_memory.h"
#include "engine/keeping/score_map.h"
#include "engine/keeping/score_strips.h"
#include "engine/keeping/whole_stages.h"

namespace headlight {
namespace {

constexpr double kWorthScores = 100'000;  // cells of all T x T matrices of a stage
constexpr double kSmallScores = 1e9;      // bytes
constexpr double kSquareStages = 5;       // scores, scaled, masked, weights and dropped

[[noreturn]] void refuse_dropout(const Model& model, double scores, double memory_budget) {
  throw Error("scores and multipliers of " + std::to_string(model.token_count()) + " tokens would take " +
                  gigabytes_text(2 * scores) + ", more than " + gigabytes_text(memory_budget),
              "dropout", "switch dropout off, or take fewer tokens or heads");
}

}  // namespace

double default_memory_budget() {
  return machine_memory() / 4;
}

double square_stages_bytes(const Model& model) {
  const auto tokens = static_cast<double>(model.token_count());
  return kSquareStages * sizeof(float) * tokens * tokens *
         static_cast<double>(model.head_count() * model.sequence_count());
}

std::string gigabytes_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

void check_size(const Model& model, const AttentionSettings& settings, double memory_budget) {
  const double stages = square_stages_bytes(model), scores = stages / kSquareStages;
  if (stages <= memory_budget || scores < sizeof(float) * kWorthScores) return;
  if (settings.normalization != Normalization::Softmax)
    throw Error("stages of " + std::to_string(model.token_count()) + " tokens would take " +
                    gigabytes_text(stages) + " with this normalization, more than " +
                    gigabytes_text(memory_budget),
                "normalization", "choose softmax, whose weights are made when they are looked at");
  if (settings.dropout.active() && 2 * scores > memory_budget) refuse_dropout(model, scores, memory_budget);
}

Keeping best_keeping(const Model& model, const KeepingWish& wish) {
  const double stages = square_stages_bytes(model), scores = stages / kSquareStages;
  const AttentionSettings& a = model.attention;
  const bool small = scores < sizeof(float) * kWorthScores;
  const bool softmax = a.normalization == Normalization::Softmax;
  // A map takes a fraction of the memory, and as long for each edit as for the first pass: larger scores are
  // kept only where memory is plentiful, or where a map cannot be.
  const bool worth = scores <= kSmallScores || stages <= wish.memory_budget || a.dropout.active() ||
                     wish.keeping == Keeping::Scores;
  const bool fits = worth && scores * (a.dropout.active() ? 2 : 1) <= wish.memory_budget;
  if (wish.keeping == Keeping::Stages || (small && wish.keeping == Keeping::Automatic))
    return Keeping::Stages;
  if (softmax && wish.finite && fits && wish.keeping != Keeping::Map) return Keeping::Scores;
  if ((!softmax || !wish.finite) && stages <= wish.memory_budget) return Keeping::Stages;
  check_size(model, a, wish.memory_budget);
  if (a.dropout.active()) refuse_dropout(model, scores, wish.memory_budget);
  return Keeping::Map;
}

std::unique_ptr<PairKeeping> make_keeping(Keeping kept, StageStore& store, double memory_budget) {
  switch (kept) {
    case Keeping::Scores:
      return std::make_unique<ScoreStrips>(store, memory_budget);
    case Keeping::Map:
      return std::make_unique<ScoreMap>(store, memory_budget);
    case Keeping::Automatic:
    case Keeping::Stages:
      break;
  }
  return std::make_unique<WholeStages>(store);
}

}  // namespace headlight
