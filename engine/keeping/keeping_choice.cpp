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

// What stages cannot be made with from scores that are kept: "" where there is nothing.
std::string no_strips(const Model& model, const AttentionSettings& settings) {
  if (settings.projection == Projection::Weights) return "given weights";
  if (!model.overwritten.empty()) return "overwritten numbers";
  if (settings.softcap > 0) return "a softcap";
  if (settings.position.kind == PositionKind::Alibi || !model.score_bias.empty()) return "a bias";
  return settings.mask == MaskKind::Rules && !model.allowed.empty() ? "allowed pairs" : "";
}

// The same from a map.
std::string no_map(const Model& model, const AttentionSettings& settings) {
  if (std::string why = no_strips(model, settings); !why.empty()) return why;
  if (settings.mask == MaskKind::Rules) return "a mask of rules";
  return model.token_count() == model.key_count() ? "" : "keys of other tokens";
}

// What the scores take that strips keep: those that a window closes are not kept.
double kept_scores_bytes(const Model& model) {
  double cells = 0;
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence) {
    const KeyBand band = model.key_band(sequence);
    constexpr Index kEdges = 64;  // what strips keep beside it
    const auto each = std::min(model.key_count(), band.to - band.from + kEdges);
    cells += static_cast<double>(model.token_count()) * static_cast<double>(each);
  }
  return sizeof(float) * cells * static_cast<double>(model.head_count());
}

// With the multipliers of dropout.
double strips_bytes(const Model& model, const AttentionSettings& settings) {
  const double multipliers = settings.dropout.active() ? square_stages_bytes(model) / kSquareStages : 0;
  return kept_scores_bytes(model) + multipliers;
}

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
  const double cells = static_cast<double>(model.token_count()) * static_cast<double>(model.key_count());
  return kSquareStages * sizeof(float) * cells *
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
  const bool strips = no_strips(model, settings).empty() && strips_bytes(model, settings) <= memory_budget;
  if (const std::string why = no_map(model, settings); !strips && !why.empty())
    throw Error("stages of " + std::to_string(model.token_count()) + " tokens would take " +
                    gigabytes_text(stages) + " with " + why + ", more than " + gigabytes_text(memory_budget),
                "attention", "leave that out, or take fewer tokens or heads");
  if (settings.dropout.active() && !strips) refuse_dropout(model, scores, memory_budget);
}

Keeping best_keeping(const Model& model, const KeepingWish& wish) {
  const double stages = square_stages_bytes(model), scores = stages / kSquareStages;
  const AttentionSettings& a = model.attention;
  const bool small = scores < sizeof(float) * kWorthScores;
  const bool strips = a.normalization == Normalization::Softmax && no_strips(model, a).empty();
  const bool map = a.normalization == Normalization::Softmax && no_map(model, a).empty();
  const double kept = kept_scores_bytes(model);
  // A map takes a fraction of the memory, and as long for each edit as for the first pass: larger scores are
  // kept only where memory is plentiful, or where a map cannot be.
  const bool worth = kept <= kSmallScores || !map || stages <= wish.memory_budget || a.dropout.active() ||
                     wish.keeping == Keeping::Scores;
  const bool fits = worth && strips_bytes(model, a) <= wish.memory_budget;
  if (wish.keeping == Keeping::Stages || (small && wish.keeping == Keeping::Automatic))
    return Keeping::Stages;
  if (strips && wish.finite && fits && (wish.keeping != Keeping::Map || !map)) return Keeping::Scores;
  if ((!map || !wish.finite) && stages <= wish.memory_budget) return Keeping::Stages;
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
