// Chooses how the T x T stages are stored, by their size and the available memory.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/core/error.h"
#include "engine/layer/layer.h"

namespace headlight {

class ScoreStore;
struct StageStore;

// Stages: each stage as a matrix with the bits that the kernels produce (dense_scores.h). Scores: the scores
// once, other stages computed from them on request; numbers agree within rounding, and an edit costs what it
// changes. Requires softmax and finite scores (tiled_scores.h). Map: not even the scores, for sequences whose
// scores exceed the memory budget or would use most of it. Requires softmax and no dropout (pooled_scores.h).
enum class StorageKind { Automatic, Stages, Scores, Map };

// A quarter of the machine's memory, in bytes.
double default_memory_budget();
// The size of all T x T stages of all heads and sequences, each stored as a matrix.
double square_stages_bytes(const Layer& layer);
std::string gigabytes_text(double bytes);    // "4.3 GB"
std::string memory_size_text(double bytes);  // "85 MB", rounded up, or "4.3 GB"
// The settings that need stages, or dropout multipliers, that do not fit, each with a message that describes
// the remedy; empty if all fits.
struct SizeFaults {
  std::optional<Error> normalization, dropout;
  double bytes = 0;  // size of the T x T stages

  bool any() const { return normalization || dropout; }
};
SizeFaults size_faults(const Layer& layer, const AttentionSettings& settings, double memory_budget);
// Throws Error if a change adds a fault or makes one larger. A layer that is too large in two ways can thus
// be corrected in two steps.
void refuse_worse(const SizeFaults& before, const SizeFaults& after);

// What decides besides the model.
struct StorageRequest {
  StorageKind storage = StorageKind::Automatic;  // Automatic: Stages for small models
  double memory_budget = 0;                      // for the T x T stages, in bytes
  bool finite = true;                            // false: the scores are known to be not finite
};
// Never Automatic. Throws Error if no kind fits.
StorageKind best_storage(const Layer& layer, const StorageRequest& requested);
// Creates an empty store. `store` must outlive it. kept: not Automatic.
std::unique_ptr<ScoreStore> make_score_store(StorageKind kept, StageStore& store, double memory_budget);

}  // namespace headlight
