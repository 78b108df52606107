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

Error dropout_fault(const Layer& layer, double scores, double memory_budget) {
  return {"scores and multipliers of " + std::to_string(layer.token_count()) + " tokens would take " +
              gigabytes_text(2 * scores) + ", more than " + gigabytes_text(memory_budget),
          "dropout", "switch dropout off, or take fewer tokens or heads"};
}

// Why what the layer needs with these settings does not fit; none if it fits.
std::optional<Error> size_fault(const Layer& layer, const AttentionSettings& settings, double memory_budget) {
  const double stages = square_stages_bytes(layer), scores = stages / kSquareStages;
  if (stages <= memory_budget || scores < sizeof(float) * kLeastStoredCells) return std::nullopt;
  const std::string size =
      "stages of " + std::to_string(layer.token_count()) + " tokens would take " + gigabytes_text(stages);
  const std::string most = ", more than " + gigabytes_text(memory_budget);
  if (settings.normalization != Normalization::Softmax)
    return Error(size + " with this normalization" + most, "normalization",
                 "choose softmax, whose weights are made when they are looked at");
  if (no_strips(layer, settings).empty() && strips_bytes(layer, settings) <= memory_budget)
    return std::nullopt;
  if (const std::string why = no_map(layer, settings); !why.empty())
    return Error(size + " with " + why + most, "attention", "leave that out, or take fewer tokens or heads");
  if (settings.dropout.active()) return dropout_fault(layer, scores, memory_budget);
  return std::nullopt;
}

// Throws the fault if it is new, or larger than before.
void refuse(const std::optional<Error>& before, const std::optional<Error>& after, bool larger) {
  if (after && (!before || larger)) throw Error(*after);
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

SizeFaults size_faults(const Layer& layer, const AttentionSettings& settings, double memory_budget) {
  // Each setting is checked with a value of the other one that causes no fault.
  AttentionSettings without_dropout = settings, with_softmax = settings;
  without_dropout.dropout.probability = 0;
  with_softmax.normalization = Normalization::Softmax;
  return {size_fault(layer, without_dropout, memory_budget), size_fault(layer, with_softmax, memory_budget),
          square_stages_bytes(layer)};
}

void refuse_worse(const SizeFaults& before, const SizeFaults& after) {
  const bool larger = after.bytes > before.bytes;
  refuse(before.normalization, after.normalization, larger);
  refuse(before.dropout, after.dropout, larger);
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
  if (const auto fault = size_fault(layer, a, requested.memory_budget)) throw Error(*fault);
  if (a.dropout.active()) throw Error(dropout_fault(layer, scores, requested.memory_budget));
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
