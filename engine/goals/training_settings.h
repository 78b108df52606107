// How a layer is trained towards its goal: the optimizer, its settings, and what it changes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace headlight {

// As torch.optim.SGD, torch.optim.Adam and torch.optim.AdamW compute a step.
enum class OptimizerKind { Sgd, Adam, AdamW };

// What can be trained: the embeddings, or a weight matrix and its bias.
enum class TrainedPart { Embeddings, Query, Key, Value, Output };

inline constexpr std::array<TrainedPart, 5> kTrainedParts = {
    TrainedPart::Embeddings, TrainedPart::Query, TrainedPart::Key, TrainedPart::Value, TrainedPart::Output};

// The most steps that a session counts.
inline constexpr Index kMostSteps = Index{1} << 40;

struct TrainingSettings {
  OptimizerKind optimizer = OptimizerKind::Sgd;
  double rate = 0.5;                           // the learning rate; finite, 0 or more
  double momentum = 0;                         // used by Sgd only; finite, 0 or more
  std::array<double, 2> betas = {0.9, 0.999};  // used by Adam and AdamW; in [0, 1)
  double epsilon = 1e-8;                       // used by Adam and AdamW; finite, above 0
  double decay = 0.01;                         // used by AdamW only; finite, 0 or more
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
