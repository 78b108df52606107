// The checkpoints of one training: folders with the same model after more and more steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace headlight {

struct SavedStep {
  std::int64_t step = 0;
  std::filesystem::path folder;
  bool operator==(const SavedStep&) const = default;
};

// After how many steps of training the weights in a folder are, as its trainer_state.json says (transformers'
// Trainer and `headlight train` write it).
std::optional<std::int64_t> step_of_folder(const std::filesystem::path& folder);

// What a training wrote down of its loss after a step.
struct LoggedLoss {
  std::int64_t step = 0;
  std::optional<double> loss;      // of the texts that the model is trained on
  std::optional<double> held_out;  // of texts that it is not trained on
  bool operator==(const LoggedLoss&) const = default;
};
// The newest record that has this loss; null if none has. which: &LoggedLoss::loss or &LoggedLoss::held_out.
const LoggedLoss* newest_with(const std::vector<LoggedLoss>& losses,
                              std::optional<double> LoggedLoss::*which);

// The log_history of a checkpoint's trainer_state.json, by step; empty where there is none. Throws nothing.
std::vector<LoggedLoss> losses_of_folder(const std::filesystem::path& folder);

// The checkpoints in a folder by step: subfolders with a config.json named step-1000 (`headlight train`),
// step1000 (the revisions of Pythia), checkpoint-1000 (transformers' Trainer), or, in the hub's cache of a
// model, the snapshots that refs/step1000 and the like name. The folder itself is among them if it has a
// config.json and a step that no subfolder has. Empty where there are none. Throws nothing.
std::vector<SavedStep> checkpoints_in(const std::filesystem::path& folder);

// The series that a model's folder belongs to: the checkpoints in it, or else those beside it if it is one of
// them. Empty for a model alone.
struct CheckpointSeries {
  std::vector<SavedStep> steps;
  bool inside = false;      // they are in the folder, not beside it
  std::size_t current = 0;  // the one whose weights the folder has: of a folder with checkpoints in it the
                            // one of its own step, or else the last
  bool operator==(const CheckpointSeries&) const = default;
};
CheckpointSeries series_of(const std::filesystem::path& folder);

// The one in that folder, however its path is written.
std::optional<std::size_t> index_of_folder(const std::vector<SavedStep>& steps,
                                           const std::filesystem::path& folder);

}  // namespace headlight
