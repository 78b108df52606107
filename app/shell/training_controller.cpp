#include "app/shell/training_controller.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <new>
#include <sstream>
#include <utility>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The model that is trained: a new one is made in the folder of the training.
TrainingPlan plan_with_model(const TrainingRequest& request) {
  TrainingPlan plan = request.plan;
  if (!request.fresh) return plan;
  save_untrained_model(*request.fresh);
  plan.model = plan.output;
  return plan;
}

CheckpointedTraining training_of(const TrainingRequest& request) {
  if (request.continues) return CheckpointedTraining::continued(request.plan.output);
  return CheckpointedTraining(plan_with_model(request));
}

// Eight words of the first text, and the first five of them again, so that what looks back for a repeated
// word finds one. "" if they cannot be read.
std::string first_words(const std::vector<std::filesystem::path>& texts) {
  constexpr std::size_t kWords = 8, kAgain = 5, kRead = 4096;
  std::vector<std::string> words;
  try {
    std::istringstream text(read_piece(texts.front(), 0, kRead));
    for (std::string word; words.size() < kWords && text >> word;)
      if (std::all_of(word.begin(), word.end(), is_letter_byte)) words.push_back(word);
  } catch (const Error&) {  // the training says what is wrong with it
  }
  if (words.size() < kWords) return "";
  std::string all = words.front();
  for (std::size_t i = 1; i < kWords + kAgain; ++i)
    all += " " + words[i % kWords];
  return all;
}

}  // namespace

TrainingController::~TrainingController() {
  end();
}

void TrainingController::follow(TrainingView& view) {
  if (std::optional<TrainingRequest> asked = std::exchange(view.start, std::nullopt)) {
    end();
    begin(*std::move(asked));
    view.follows = true;
  }
  const auto control = std::exchange(view.control, TrainingView::Control::None);
  const std::lock_guard lock(mutex_);
  if (control == TrainingView::Control::Pause) paused_ = true;
  if (control == TrainingView::Control::GoOn) paused_ = false;
  if (control == TrainingView::Control::Stop) stopped_ = true;
  if (control == TrainingView::Control::SaveNow) save_now_ = true;
  if (control == TrainingView::Control::Forget) {
    progress_ = {};
    ++revision_;
  }
  if (control != TrainingView::Control::None) asked_.notify_all();
  if (view.revision == revision_) return;
  view.revision = revision_;
  view.phase = progress_.phase;
  view.step = progress_.step;
  view.steps = progress_.steps;
  view.saved = progress_.saved;
  view.folder = progress_.folder;
  view.model = progress_.model;
  view.seconds_left = progress_.seconds_left;
  view.memory = progress_.memory;
  view.failure = progress_.failure;
  view.losses = progress_.losses;
  view.planned = progress_.planned;
  if (new_model_ && progress_.saved > 0) {
    view.first_of_new = {progress_.folder / "step-0", *new_model_};
    new_model_.reset();
  }
}

bool TrainingController::idle() const {
  const std::lock_guard lock(mutex_);
  return progress_.phase != TrainingPhase::Preparing && progress_.phase != TrainingPhase::Running;
}

void TrainingController::begin(TrainingRequest request) {
  {
    const std::lock_guard lock(mutex_);
    paused_ = stopped_ = save_now_ = false;
    progress_ = {};
    ++revision_;
    progress_.phase = TrainingPhase::Preparing;
    progress_.folder = request.plan.output;
    new_model_ = request.fresh ? std::optional(first_words(request.plan.texts)) : std::nullopt;
    progress_.steps = request.plan.settings.rate.steps;
  }
  try {
    thread_ = start_thread("a training", [this, request = std::move(request)] { train(request); });
  } catch (const Error& error) {
    publish([&](Progress& progress) {
      progress.phase = TrainingPhase::Failed;
      progress.failure = error.what();
    });
  }
}

void TrainingController::end() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    asked_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void TrainingController::train(const TrainingRequest& request) {
  const auto fail = [this](const std::string& why) {
    publish([&](Progress& progress) {
      progress.phase = TrainingPhase::Failed;
      progress.failure = why;
    });
  };
  try {
    CheckpointedTraining training = training_of(request);
    take_steps(training);
  } catch (const Error& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("there is not enough memory for this training: take a smaller batch or shorter windows");
  }
}

void TrainingController::take_steps(CheckpointedTraining& training) {
  constexpr double kBetweenReports = 0.1;  // seconds
  const Index first = training.step();
  publish([&](Progress& progress) {
    progress.phase = TrainingPhase::Running;
    progress.memory = training.memory_text();
    progress.model = training.plan().model;
    progress.steps = training.plan().settings.rate.steps;
    progress.planned = planned_checkpoints(training.plan());
  });
  if (first == 0) save(training);
  publish_steps(training);
  const Clock::time_point began = Clock::now();
  Clock::time_point reported = began;
  while (!training.done()) {
    if (!may_go_on(training)) break;
    training.advance();
    const bool saved = training.saved_step() == training.step();
    if (!saved && seconds_since(reported) < kBetweenReports && !training.done()) continue;
    reported = Clock::now();
    publish_steps(training);
    const double each = seconds_since(began) / static_cast<double>(training.step() - first);
    publish([&](Progress& progress) {
      progress.seconds_left = each * static_cast<double>(progress.steps - progress.step);
    });
  }
  if (training.done())
    training.finish();
  else
    save(training);
  publish_steps(training);
  publish([&](Progress& progress) {
    progress.phase = training.done() ? TrainingPhase::Done : TrainingPhase::Stopped;
    progress.seconds_left.reset();
  });
}

bool TrainingController::may_go_on(CheckpointedTraining& training) {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (std::exchange(save_now_, false)) {
      lock.unlock();
      save(training);
      publish_steps(training);
      lock.lock();
      continue;
    }
    if (!paused_) break;
    progress_.phase = TrainingPhase::Paused;
    ++revision_;
    lock.unlock();
    wake_();
    lock.lock();
    asked_.wait(lock, [this] { return stopped_ || save_now_ || !paused_; });
  }
  if (!stopped_ && std::exchange(progress_.phase, TrainingPhase::Running) != TrainingPhase::Running)
    ++revision_;
  return !stopped_;
}

void TrainingController::save(CheckpointedTraining& training) {
  if (training.saved_step() != training.step()) training.save();
}

void TrainingController::publish(const std::function<void(Progress&)>& change) {
  {
    const std::lock_guard lock(mutex_);
    change(progress_);
    ++revision_;
  }
  wake_();
}

void TrainingController::publish_steps(const CheckpointedTraining& training) {
  publish([&](Progress& progress) {
    progress.step = training.step();
    progress.saved = training.saves();
    progress.losses = training.losses();
  });
}

}  // namespace headlight
