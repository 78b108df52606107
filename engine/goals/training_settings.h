// How a layer is trained towards its goal: the optimizer, its settings, and what it changes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/goals/optimizer.h"
#include "engine/model/model.h"

namespace headlight {

// What can be trained: the embeddings, or a weight matrix and its bias.
enum class TrainedPart { Embeddings, Query, Key, Value, Output };

inline constexpr std::array<TrainedPart, 5> kTrainedParts = {
    TrainedPart::Embeddings, TrainedPart::Query, TrainedPart::Key, TrainedPart::Value, TrainedPart::Output};

// The most steps that a session counts.
inline constexpr Index kMostSteps = Index{1} << 40;

struct TrainingSettings : OptimizerSettings {
  double rate = 0.5;  // the learning rate; finite, 0 or more
  // Each at most once. Empty: all weights that the model uses.
  std::vector<TrainedPart> parameters;
  Index steps = 0;  // taken so far; the model's numbers are those after them
  bool operator==(const TrainingSettings&) const = default;
};

// The name in the session file: "embeddings", "query", ...
const char* part_name(TrainedPart part);
// The weights of a part. Not for Embeddings.
Parameter weights_of(TrainedPart part);
// Whether the model computes something from it. Embeddings beside given queries, keys and values, and weights
// that the settings do not use, have no effect.
bool has_part(const Model& model, TrainedPart part);
// What is trained, in the order of kTrainedParts; empty if nothing is named and the model uses no weights.
std::vector<TrainedPart> trained_parts(const Model& model, const TrainingSettings& settings);

// Throws Error unless all numbers are within their ranges and each part that is named is one of the model's.
// where() is the name in the session file: "training.rate".
void validate_training(const Model& model, const TrainingSettings& settings);

}  // namespace headlight
