// Trains a layer on a thread of its own: takes requests, returns reports. The window never waits for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/layer/edit.h"
#include "engine/learning/layer_training.h"

namespace headlight {

// The state after the requests that have been carried out.
struct TrainingReport {
  std::uint64_t request = 0;  // the last one that is included
  std::string failure;        // why the training could not begin or go on; the rest is then empty
  Index step = 0, first_step = 0, last_step = 0;
  double loss = 0;
  LossCurve curve;
  std::optional<Divergence> divergence;
  std::vector<Movement> movements;
  std::vector<CellsEdit> trained;  // the trained matrices, whole
};

// The matrices that a training with these settings changes, whole.
std::vector<CellsEdit> trained_matrices(const Layer& layer, const TrainingSettings& settings);

class TrainingWorker {
 public:
  // `on_report` is called on the worker's thread after each report: it must only wake the window. Throws
  // Error if no thread can be started.
  explicit TrainingWorker(std::function<void()> on_report = [] {});
  ~TrainingWorker();
  TrainingWorker(const TrainingWorker&) = delete;
  TrainingWorker& operator=(const TrainingWorker&) = delete;

  // Requests are carried out in order; each returns its number. begin() starts a training, in the place of
  // an earlier one; branch() goes on from the present step with an edited state.
  std::uint64_t begin(Layer layer, Goal goal, TrainingSettings settings);
  std::uint64_t branch(Layer layer, Goal goal, TrainingSettings settings);
  // So many steps, as far as they take about kLongestMs: one at least.
  std::uint64_t advance(Index steps);
  std::uint64_t seek(Index step);

  // The newest report; null before the first.
  std::shared_ptr<const TrainingReport> report() const;
  // Whether a request is waiting or being carried out.
  bool busy() const;

  static constexpr double kLongestMs = 50;

 private:
  using Task = std::function<void(std::optional<LayerTraining>&)>;
  std::uint64_t post(Task task);
  void run();

  std::function<void()> on_report_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  std::uint64_t posted_ = 0, done_ = 0;
  bool stop_ = false;
  std::shared_ptr<const TrainingReport> report_;
  std::thread thread_;
};

}  // namespace headlight
