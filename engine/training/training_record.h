// The folder beside a training's checkpoints that says how to continue it: training.json, its plan and step;
// optimizer.safetensors, the means of its optimizer. It belongs to the last checkpoint.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/training/checkpointed_training.h"

namespace headlight {

// The folder's place within that of the training.
std::filesystem::path state_folder(const std::filesystem::path& training);

// Throws Error (disk full, ...).
void write_training_record(const std::filesystem::path& state, const UnfinishedTraining& training);
// nullopt if there is none. Throws Error, which names the member, for a file that is not one of these.
std::optional<UnfinishedTraining> read_training_record(const std::filesystem::path& state);

struct OptimizerTensors {
  ModelOptimizer::State state;
  std::vector<Matrix> weights;  // by tensor; empty: those of the checkpoint are exact
};
// Writes the weights too where checkpoints round them (F16).
void write_optimizer_state(const std::filesystem::path& state, const ModelOptimizer::State& optimizer,
                           const TrainedWeights& weights, SavedFloat type);
// fresh: of an optimizer with the same settings. Throws Error if a tensor is missing or has another shape.
OptimizerTensors read_optimizer_state(const std::filesystem::path& state, Index step,
                                      const ModelOptimizer::State& fresh, const TrainedWeights& weights,
                                      SavedFloat type);

}  // namespace headlight
