// Trains a whole model beside the window, on a thread of its own: what the panels ask for, and how far it is.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "app/ui/context/ui_context.h"

namespace headlight {

class TrainingController {
 public:
  // `wake` is called on the training's thread when follow() has something new.
  explicit TrainingController(std::function<void()> wake) : wake_(std::move(wake)) {}
  // Ends the training after the step that is being taken, with a checkpoint from which it can be continued.
  ~TrainingController();
  TrainingController(const TrainingController&) = delete;
  TrainingController& operator=(const TrainingController&) = delete;

  // Call once before each frame: begins, pauses or stops as the panels ask, and writes the progress to the
  // view.
  void follow(TrainingView& view);
  // Whether there is nothing to wait for: no step will be taken before somebody asks for it.
  bool idle() const;

 private:
  struct Progress {
    TrainingPhase phase = TrainingPhase::None;
    Index step = 0, steps = 0, saved = 0;
    std::filesystem::path folder, model;
    std::vector<LoggedLoss> losses;
    std::vector<Index> planned;
    std::optional<double> seconds_left;
    std::string memory, failure;
  };

  void begin(TrainingRequest request);
  void end();
  void train(const TrainingRequest& request);
  void take_steps(CheckpointedTraining& training);
  // Waits while the training is paused. Returns whether it goes on; writes a checkpoint that is asked for.
  bool may_go_on(CheckpointedTraining& training);
  void save(CheckpointedTraining& training);
  void publish(const std::function<void(Progress&)>& change);
  void publish_steps(const CheckpointedTraining& training);

  std::function<void()> wake_;
  std::thread thread_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable asked_;
  Progress progress_;
  std::uint64_t revision_ = 0;            // of progress_
  std::optional<std::string> new_model_;  // its first text, until its first checkpoint is open
  bool paused_ = false, stopped_ = false, save_now_ = false;
};

}  // namespace headlight
