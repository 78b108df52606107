#include "engine/attention/storage_choice.h"

#include <cmath>
#include <cstdio>

#include "engine/attention/dense_scores.h"
#include "engine/attention/pooled_scores.h"
#include "engine/attention/tiled_scores.h"
#include "engine/core/error.h"
#include "engine/core/machine_memory.h"

namespace headlight {
namespace {

constexpr double kLeastStoredCells =
    100'000;                          // cells of one stage in all heads; with fewer, stages are stored
constexpr double kSmallScores = 1e9;  // bytes; up to this size, stored scores are preferred to a map
constexpr double kSquareStages = 5;   // scores, scaled, masked, weights and dropped

// What prevents stages from being computed from stored scores; "" if nothing does.
std::string no_strips(const Layer& layer, const AttentionSettings& settings) {
  if (settings.projection == Projection::Weights) return "given weights";
  if (!layer.overwritten.empty()) return "overwritten numbers";
  if (settings.softcap > 0) return "a softcap";
  if (!settings.sinks.empty()) return "sinks";
  if (settings.position.kind == PositionKind::Alibi || !layer.score_bias.empty()) return "a bias";
  return settings.mask == MaskKind::Rules && !layer.allowed.empty() ? "allowed pairs" : "";
}

// What prevents a map of the scores; "" if nothing does.
std::string no_map(const Layer& layer, const AttentionSettings& settings) {
  if (std::string why = no_strips(layer, settings); !why.empty()) return why;
  if (settings.mask == MaskKind::Rules) return "a mask of rules";
  return layer.token_count() == layer.key_count() ? "" : "keys of other tokens";
}

// The size of the scores that strips store: those that a window closes are not stored.
double stored_scores_bytes(const Layer& layer) {
  double cells = 0;
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence) {
    const KeyBand band = layer.key_band(sequence);
    constexpr Index kEdges = 64;  // keys that strips store beyond the band
    const auto each = std::min(layer.key_count(), band.to - band.from + kEdges);
    cells += static_cast<double>(layer.token_count()) * static_cast<double>(each);
  }
  return sizeof(float) * cells * static_cast<double>(layer.head_count());
}

// The size of the stored scores and the dropout multipliers.
double strips_bytes(const Layer& layer, const AttentionSettings& settings) {
  const double multipliers = settings.dropout.active() ? square_stages_bytes(layer) / kSquareStages : 0;
  return stored_scores_bytes(layer) + multipliers;
}

[[noreturn]] void refuse_dropout(const Layer& layer, double scores, double memory_budget) {
  throw Error("scores and multipliers of " + std::to_string(layer.token_count()) + " tokens would take " +
                  gigabytes_text(2 * scores) + ", more than " + gigabytes_text(memory_budget),
              "dropout", "switch dropout off, or take fewer tokens or heads");
}

}  // namespace

double default_memory_budget() {
  return machine_memory() / 4;
}

double square_stages_bytes(const Layer& layer) {
  const double cells = static_cast<double>(layer.token_count()) * static_cast<double>(layer.key_count());
  return kSquareStages * sizeof(float) * cells *
         static_cast<double>(layer.head_count() * layer.sequence_count());
}

std::string gigabytes_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

std::string memory_size_text(double bytes) {
  constexpr double kGigabyte = 1e9, kMegabyte = 1e6;
  if (bytes >= kGigabyte) return gigabytes_text(bytes);
  return std::to_string(std::lround(std::ceil(bytes / kMegabyte))) + " MB";
}

void check_size(const Layer& layer, const AttentionSettings& settings, double memory_budget) {
  const double stages = square_stages_bytes(layer), scores = stages / kSquareStages;
  if (stages <= memory_budget || scores < sizeof(float) * kLeastStoredCells) return;
  if (settings.normalization != Normalization::Softmax)
    throw Error("stages of " + std::to_string(layer.token_count()) + " tokens would take " +
                    gigabytes_text(stages) + " with this normalization, more than " +
                    gigabytes_text(memory_budget),
                "normalization", "choose softmax, whose weights are made when they are looked at");
  const bool strips = no_strips(layer, settings).empty() && strips_bytes(layer, settings) <= memory_budget;
  if (const std::string why = no_map(layer, settings); !strips && !why.empty())
    throw Error("stages of " + std::to_string(layer.token_count()) + " tokens would take " +
                    gigabytes_text(stages) + " with " + why + ", more than " + gigabytes_text(memory_budget),
                "attention", "leave that out, or take fewer tokens or heads");
  if (settings.dropout.active() && !strips) refuse_dropout(layer, scores, memory_budget);
}

StorageKind best_storage(const Layer& layer, const StorageRequest& requested) {
  const double stages = square_stages_bytes(layer), scores = stages / kSquareStages;
  const AttentionSettings& a = layer.attention;
  const bool small = scores < sizeof(float) * kLeastStoredCells;
  const bool strips = a.normalization == Normalization::Softmax && no_strips(layer, a).empty();
  const bool map = a.normalization == Normalization::Softmax && no_map(layer, a).empty();
  const double kept = stored_scores_bytes(layer);
  // A map takes a fraction of the memory, but each edit takes as long as the first pass: larger scores are
  // stored only if memory is plentiful or a map is not possible.
  const bool worth = kept <= kSmallScores || !map || stages <= requested.memory_budget ||
                     a.dropout.active() || requested.storage == StorageKind::Scores;
  const bool fits = worth && strips_bytes(layer, a) <= requested.memory_budget;
  if (requested.storage == StorageKind::Stages || (small && requested.storage == StorageKind::Automatic))
    return StorageKind::Stages;
  if (strips && requested.finite && fits && (requested.storage != StorageKind::Map || !map))
    return StorageKind::Scores;
  if ((!map || !requested.finite) && stages <= requested.memory_budget) return StorageKind::Stages;
  check_size(layer, a, requested.memory_budget);
  if (a.dropout.active()) refuse_dropout(layer, scores, requested.memory_budget);
  return StorageKind::Map;
}

std::unique_ptr<ScoreStore> make_score_store(StorageKind kept, StageStore& store, double memory_budget) {
  switch (kept) {
    case StorageKind::Scores:
      return std::make_unique<TiledScores>(store, memory_budget);
    case StorageKind::Map:
      return std::make_unique<PooledScores>(store, memory_budget);
    case StorageKind::Automatic:
    case StorageKind::Stages:
      break;
  }
  return std::make_unique<DenseScores>(store);
}

}  // namespace headlight
