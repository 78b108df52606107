// A training that writes its folder as it goes on: the model at chosen steps (step-K/), how the loss fell,
// and what another process needs to continue it after this one has ended.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/arrays/safetensors.h"
#include "engine/checkpoint/checkpoint_series.h"
#include "engine/training/saved_model.h"
#include "engine/training/training_run.h"

namespace headlight {

struct TrainingPlan {
  std::filesystem::path model;  // the folder of the model that is trained
  std::vector<std::filesystem::path> texts;
  ModelTrainingSettings settings;  // rate.steps: the last step
  double held_out = 0;             // share of the tokens, at the end of the texts, that is not trained on
  Index save_every = 0;            // 0: no checkpoints before the end
  std::vector<Index> save_at;      // steps with a checkpoint; 0: before the first one
  SavedFloat type = SavedFloat::F32;
  std::filesystem::path output;  // a folder
};

inline constexpr double kMostHeldOut = 0.5;

// The steps that have a checkpoint, ascending; empty if none is wanted.
std::vector<Index> planned_checkpoints(const TrainingPlan& plan);

// A training that can be continued, as its last checkpoint left it.
struct UnfinishedTraining {
  TrainingPlan plan;
  Index step = 0;
  Index tokens = 0;      // that it is trained on
  std::string ids = {};  // their hash; "" in records of before there was one
};

class CheckpointedTraining {
 public:
  // Writes nothing yet. Throws Error as Network, ids_of_files and TrainingRun do, and if the held-out part is
  // too short for a window.
  explicit CheckpointedTraining(TrainingPlan plan);
  // network: that of the plan's folder, opened before.
  CheckpointedTraining(TrainingPlan plan, const Network& network);
  // The training of that folder, from its last checkpoint on: every number is as if it had never ended. last:
  // another last step; 0: the plan's. Throws Error also if there is nothing to continue, and if the texts
  // have changed.
  static CheckpointedTraining continued(const std::filesystem::path& folder, Index last = 0);

  const TrainingPlan& plan() const { return plan_; }
  Index step() const { return run_->steps(); }
  std::optional<Index> saved_step() const { return saved_step_; }  // of the last checkpoint that there is
  Index saves() const { return saves_; }                           // how often the folder got one
  bool done() const { return step() >= plan_.settings.rate.steps; }
  // Saves a checkpoint of step 0 if it is wanted and nothing is saved yet. Call before the first advance().
  // Throws Error if the output cannot be written.
  void begin();
  // One step; saves a checkpoint where one is wanted. Throws as TrainingRun::advance and save_checkpoint.
  TrainingStep advance();
  // Saves a checkpoint of the present step.
  void save();
  // Writes the trained model into the folder itself. Nothing is left to continue then.
  void finish();

  // The mean loss of the steps since the record before it, and the held-out loss at checkpoints.
  const std::vector<LoggedLoss>& losses() const { return losses_; }
  Index tokens() const { return tokens_; }
  Index held_out_tokens() const { return static_cast<Index>(held_out_.size()); }
  std::string memory_text() const { return run_->memory_text(); }

 private:
  void record(const TrainingStep& step);
  void record_held_out();
  SavedForm form_of_step() const;
  void save_state() const;
  void take_state(const std::filesystem::path& state, const UnfinishedTraining& found);

  TrainingPlan plan_;
  SavedForm form_;
  std::vector<Index> checkpoints_;
  std::vector<std::int32_t> held_out_;
  Index tokens_ = 0;
  std::string ids_hash_;
  std::unique_ptr<TrainingRun> run_;
  std::optional<Index> saved_step_;
  Index saves_ = 0;
  std::vector<LoggedLoss> losses_;
  double sum_ = 0;        // of the losses since the last record
  Index unrecorded_ = 0;  // how many they are
};

// The record of the training in the folder; nullopt if there is none. Throws Error if its file cannot be
// read.
std::optional<UnfinishedTraining> unfinished_training(const std::filesystem::path& folder);

}  // namespace headlight
