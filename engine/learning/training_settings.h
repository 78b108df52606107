// How a layer is trained towards its goal: the optimizer, its settings, and what it changes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/layer/layer.h"
#include "engine/learning/optimizer.h"

namespace headlight {

// What can be trained: the embeddings, or a weight matrix and its bias.
enum class TrainedPart { Embeddings, Query, Key, Value, Output };

inline constexpr std::array<TrainedPart, 5> kTrainedParts = {
    TrainedPart::Embeddings, TrainedPart::Query, TrainedPart::Key, TrainedPart::Value, TrainedPart::Output};

// The most steps that a session counts.
inline constexpr Index kMostSteps = Index{1} << 40;

struct TrainingSettings : OptimizerSettings {
  double rate = 0.5;  // the learning rate; finite, 0 or more
  // Each at most once. Empty: all weights that the layer uses.
  std::vector<TrainedPart> parameters;
  Index steps = 0;  // taken so far; the layer's numbers are those after them
  bool operator==(const TrainingSettings&) const = default;
};

// The name in the session file: "embeddings", "query", ...
const char* part_name(TrainedPart part);
// The weights of a part. Not for Embeddings.
Parameter weights_of(TrainedPart part);
// Whether the layer computes something from it. Embeddings beside given queries, keys and values, and weights
// that the settings do not use, have no effect.
bool has_part(const Layer& layer, TrainedPart part);
// What is trained, in the order of kTrainedParts; empty if nothing is named and the layer uses no weights.
std::vector<TrainedPart> trained_parts(const Layer& layer, const TrainingSettings& settings);

// Throws Error unless all numbers are within their ranges and each part that is named is one of the layer's.
// where() is the name in the session file: "training.rate".
void validate_training(const Layer& layer, const TrainingSettings& settings);

}  // namespace headlight
