#include "app/ui/learning/learning_run.h"

#include <algorithm>
#include <utility>

namespace headlight {
namespace {

// Distinct from the gestures of grids, settings, masks and goals, which share the document's history.
constexpr std::uint64_t kLearningGesture = std::uint64_t{7} << 61;

bool holds(const Layer& layer, const std::vector<CellsEdit>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](const CellsEdit& block) {
    const Matrix& own = input_matrix(layer, block.input);
    return own.rows() == block.values.rows() && own.cols() == block.values.cols() && own == block.values;
  });
}

bool same_way(TrainingSettings a, const TrainingSettings& b) {
  a.steps = b.steps;
  return a == b;
}

}  // namespace

TrainingSettings LearningRun::settings_of(const UiContext& ui) {
  if (const auto& own = ui.document.session().training) return *own;
  TrainingSettings settings;
  settings.optimizer = OptimizerKind::Adam;
  settings.rate = 0.05;
  return settings;
}

void LearningRun::end() {
  playing_ = false;
  report_.reset();
  began_.clear();
  sent_.clear();
  goal_.reset();
  awaited_ = 0;
}

// Begins a run, or branches off where something but the run has changed the session since.
bool LearningRun::ready(UiContext& ui) {
  const auto& goal = ui.document.session().goal;
  if (!goal) return false;
  const TrainingSettings settings = settings_of(ui);
  if (!worker_) worker_ = std::make_unique<TrainingWorker>();
  const bool same_goal = goal_ && (goal_ == goal || *goal_ == *goal);
  // Numbers that were sent in this frame are not in the document yet.
  const bool edited = revision_ != ui.document.revision() && revision_ != ui.document.revision() + 1;
  if (report_ && report_->failure.empty() && same_goal && same_way(settings_, settings) && !edited)
    return true;
  const bool goes_on = report_ && report_->failure.empty() && same_goal && !holds(ui.layer(), began_);
  if (!goes_on) {
    end();
    gesture_ = kLearningGesture | ui.document.revision();
    began_ = trained_matrices(ui.layer(), settings);
  }
  goal_ = goal;
  settings_ = settings;
  layer_ = ui.opened_layer();
  revision_ = ui.document.revision();
  replaced_ = ui.document.layer_revision();
  awaited_ =
      goes_on ? worker_->branch(ui.layer(), *goal, settings) : worker_->begin(ui.layer(), *goal, settings);
  return true;
}

void LearningRun::play(UiContext& ui) {
  if (!ready(ui)) return;
  playing_ = true;
  awaited_ = worker_->advance(next_steps());
}

Index LearningRun::next_steps() const {
  const Index step = report_ ? report_->step : 0;
  return until_ && step < *until_ ? std::min(steps_per_picture, *until_ - step) : steps_per_picture;
}

void LearningRun::step(UiContext& ui) {
  playing_ = false;
  if (ready(ui)) awaited_ = worker_->advance(1);
}

void LearningRun::seek(UiContext& ui, Index step) {
  playing_ = false;
  if (ready(ui)) awaited_ = worker_->seek(step);
}

void LearningRun::take_report(UiContext& ui) {
  const auto newest = worker_->report();
  if (!newest || newest == report_ || newest->request < awaited_) return;
  report_ = newest;
  if (!report_->failure.empty() || report_->divergence || report_->step == until_) playing_ = false;
  if (!report_->failure.empty() || holds(ui.layer(), report_->trained)) return;
  TrainingSettings settings = settings_;
  settings.steps = report_->step;
  sent_ = report_->trained;
  ui.send(SetBlocks{sent_, "Learn", settings, gesture_});
  revision_ = ui.document.revision() + 1;
}

void LearningRun::follow(UiContext& ui) {
  until_ = std::exchange(ui.view.learning.until, std::nullopt);
  if (!worker_ || (!goal_ && !report_)) return;
  if (layer_ != ui.opened_layer() || !ui.document.session().goal) return end();
  // Another change than the run's own: undo takes the whole run back, and an edit is where the next step
  // branches off.
  const bool foreign = revision_ != ui.document.revision();
  if (foreign && !sent_.empty() && holds(ui.layer(), began_)) return end();
  const bool replaced =
      std::exchange(replaced_, ui.document.layer_revision()) != ui.document.layer_revision();
  if (replaced && !sent_.empty() && !holds(ui.layer(), sent_)) return end();
  if (foreign) playing_ = false;
  if (worker_->busy()) ui.wake_within(0);
  if (foreign) return;
  take_report(ui);
  if (!playing_) return;
  ui.wake_within(0);
  if (!worker_->busy()) awaited_ = worker_->advance(next_steps());
}

}  // namespace headlight
