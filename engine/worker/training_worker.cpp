#include "engine/worker/training_worker.h"

#include <chrono>
#include <new>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

std::shared_ptr<TrainingReport> report_of(const LayerTraining& training) {
  auto report = std::make_shared<TrainingReport>();
  report->step = training.step_number();
  report->first_step = training.first_step();
  report->last_step = training.last_step();
  report->loss = training.loss();
  report->curve = training.curve();
  report->divergence = training.divergence();
  report->movements = training.movements();
  report->trained = trained_matrices(training.layer(), training.settings());
  return report;
}

void take_steps(LayerTraining& training, Index steps) {
  using Clock = std::chrono::steady_clock;
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double, std::milli>(TrainingWorker::kLongestMs));
  for (Index i = 0; i < steps && !training.divergence(); ++i) {
    training.step();
    if (Clock::now() >= until) return;
  }
}

InputId input_of(const TrainedMatrix& at) {
  if (at.part == TrainedPart::Embeddings) return {InputKind::Embeddings, at.sequence};
  return {at.bias ? InputKind::Bias : InputKind::Weight, 0, weights_of(at.part)};
}

}  // namespace

std::vector<CellsEdit> trained_matrices(const Layer& layer, const TrainingSettings& settings) {
  std::vector<CellsEdit> edits;
  const TrainedLayout layout(layer, trained_parts(layer, settings));
  for (const TrainedMatrix& at : layout.matrices()) {
    const InputId input = input_of(at);
    edits.push_back({input, 0, 0, input_matrix(layer, input)});
  }
  return edits;
}

TrainingWorker::TrainingWorker(std::function<void()> on_report)
    : on_report_(std::move(on_report)), thread_(start_thread("the training", [this] { run(); })) {}

TrainingWorker::~TrainingWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::uint64_t TrainingWorker::post(Task task) {
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    number = ++posted_;
  }
  wake_.notify_one();
  return number;
}

std::uint64_t TrainingWorker::begin(Layer layer, Goal goal, TrainingSettings settings) {
  return post([layer = std::move(layer), goal = std::move(goal),
               settings = std::move(settings)](std::optional<LayerTraining>& training) {
    training.reset();
    training.emplace(layer, goal, settings);
  });
}

std::uint64_t TrainingWorker::branch(Layer layer, Goal goal, TrainingSettings settings) {
  return post([layer = std::move(layer), goal = std::move(goal),
               settings = std::move(settings)](std::optional<LayerTraining>& training) {
    if (training)
      training->branch(layer, goal, settings);
    else
      training.emplace(layer, goal, settings);
  });
}

std::uint64_t TrainingWorker::advance(Index steps) {
  return post([steps](std::optional<LayerTraining>& training) {
    if (training) take_steps(*training, steps);
  });
}

std::uint64_t TrainingWorker::seek(Index step) {
  return post([step](std::optional<LayerTraining>& training) {
    if (training) training->seek(step);
  });
}

std::shared_ptr<const TrainingReport> TrainingWorker::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

bool TrainingWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return done_ != posted_;
}

void TrainingWorker::run() {
  std::optional<LayerTraining> training;
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
      if (stop_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    std::string failure;
    try {
      task(training);
    } catch (const Error& error) {
      failure = error.what();
    } catch (const std::bad_alloc&) {
      failure = "there is not enough memory to train: take fewer tokens or heads";
    }
    auto report = training && failure.empty() ? report_of(*training) : std::make_shared<TrainingReport>();
    report->failure = std::move(failure);
    {
      const std::lock_guard lock(mutex_);
      report->request = ++done_;
      report_ = std::move(report);
    }
    on_report_();
  }
}

}  // namespace headlight
