#include "engine/learning/layer_training.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/error.h"
#include "engine/learning/gradients.h"

namespace headlight {
namespace {

void require_something_to_train(const TrainedLayout& layout) {
  if (layout.size() > 0) return;
  throw Error("there is nothing to train: the session has no weights", "training.parameters",
              "name the embeddings: \"parameters\": [\"embeddings\"]");
}

// Precondition: a number is not finite.
std::string place_of_fault(const TrainedLayout& layout, const ParameterVector& numbers) {
  for (const TrainedMatrix& at : layout.matrices())
    for (Index i = 0; i < at.size(); ++i)
      if (!std::isfinite(numbers(at.begin + i)))
        return layout.name(at) + (at.bias ? "" : ", row " + std::to_string(i / at.columns + 1)) +
               ", column " + std::to_string(i % at.columns + 1);
  return "a parameter";
}

}  // namespace

struct LayerTraining::Run {
  explicit Run(std::shared_ptr<const TrainingSetup> from)
      : setup(std::move(from)),
        layer(setup->layer),
        settings(setup->settings),
        layout(layer, parts()),
        pass(layer, setup->goal) {
    require_something_to_train(layout);
  }

  std::vector<TrainedPart> parts() const {
    validate_training(layer, settings);
    return trained_parts(layer, settings);
  }

  std::shared_ptr<const TrainingSetup> setup;
  Layer layer;
  TrainingSettings settings;
  TrainedLayout layout;
  LayerPass pass;
  Gradients gradients;
};

LayerTraining::LayerTraining(Layer layer, Goal goal, TrainingSettings settings,
                             const TrainingHistory::Limits& limits)
    : history_(limits), curve_(settings.steps) {
  auto run = std::make_unique<Run>(std::make_shared<const TrainingSetup>(
      TrainingSetup{std::move(layer), std::move(goal), std::move(settings)}));
  state_.step = last_ = run->settings.steps;
  begin(std::move(run));
}

LayerTraining::~LayerTraining() = default;

const Layer& LayerTraining::layer() const {
  return run_->layer;
}

const Goal& LayerTraining::goal() const {
  return run_->setup->goal;
}

const TrainingSettings& LayerTraining::settings() const {
  return run_->settings;
}

// The first state of a segment, at the present step.
void LayerTraining::begin(std::unique_ptr<Run> run) {
  run_ = std::move(run);
  run_->settings.steps = last_ = state_.step;
  run_->layout.read(run_->layer, state_.parameters);
  divergence_.reset();
  if (const std::string fault = evaluate(); !fault.empty()) divergence_ = {state_.step, fault};
  history_.begin(run_->setup, state_);
  curve_.forget_from(state_.step);
  curve_.add(loss_);
}

void LayerTraining::enter(std::shared_ptr<const TrainingSetup> setup) {
  if (run_->setup != setup) run_ = std::make_unique<Run>(std::move(setup));
}

void LayerTraining::restore(const TrainingState& checkpoint) {
  state_ = checkpoint;
  run_->settings.steps = state_.step;
  run_->layout.write(state_.parameters, run_->layer);
  evaluate();
}

std::string LayerTraining::evaluate() {
  try {
    run_->pass.forward();
    run_->pass.backward(run_->layout.request(), run_->gradients);
  } catch (const Error& error) {  // a weight that has no logarithm
    loss_ = std::nan("");
    gradient_ = ParameterVector::Zero(run_->layout.size());
    return error.summary();
  }
  loss_ = run_->gradients.loss;
  run_->layout.read(run_->gradients, gradient_);
  return std::isfinite(loss_) ? "" : "the loss is not finite";
}

void LayerTraining::move_parameters() {
  OptimizerState& optimizer = state_.optimizer;
  const Index stored = stored_per_number(run_->settings);
  if (stored > 0 && optimizer.mean.size() == 0) optimizer.mean = ParameterVector::Zero(gradient_.size());
  if (stored > 1 && optimizer.square.size() == 0) optimizer.square = ParameterVector::Zero(gradient_.size());
  const OptimizerStep step(run_->settings, run_->settings.rate, ++optimizer.steps);
  step.move({gradient_.size(), gradient_.data(), state_.parameters.data(), optimizer.mean.data(),
             optimizer.square.data()});
}

std::string LayerTraining::advance() {
  ++state_.step;
  run_->settings.steps = state_.step;
  move_parameters();
  if (!finite_numbers(state_.parameters))
    return place_of_fault(run_->layout, state_.parameters) + ", is not finite";
  run_->layout.write(state_.parameters, run_->layer);
  return evaluate();
}

double LayerTraining::step() {
  if (state_.step < last_) {
    seek(state_.step + 1);
    return loss_;
  }
  if (divergence_ || last_ == kMostSteps) return loss_;
  if (const std::string fault = advance(); !fault.empty()) {
    divergence_ = {state_.step, fault};
    restore(history_.checkpoint_before(last_));
    seek(last_);
    return loss_;
  }
  last_ = state_.step;
  curve_.add(loss_);
  if (history_.wants(last_)) history_.note(state_);
  return loss_;
}

void LayerTraining::seek(Index step) {
  step = std::clamp(step, first_step(), last_);
  const TrainingSegment& segment = history_.segment_of(step);
  const TrainingState& checkpoint = history_.checkpoint_before(step);
  const bool on_the_way =
      run_->setup == segment.setup && state_.step >= checkpoint.step && state_.step <= step;
  if (!on_the_way) {
    enter(segment.setup);
    restore(checkpoint);
  }
  while (state_.step < step)
    advance();
}

void LayerTraining::branch(Layer layer) {
  branch(std::move(layer), goal(), settings());
}

void LayerTraining::branch(Layer layer, Goal goal, TrainingSettings settings) {
  settings.steps = state_.step;
  auto run = std::make_unique<Run>(std::make_shared<const TrainingSetup>(
      TrainingSetup{std::move(layer), std::move(goal), std::move(settings)}));
  if (run->layout != run_->layout || run->settings.optimizer != run_->settings.optimizer)
    state_.optimizer = {};
  begin(std::move(run));
}

std::vector<Movement> LayerTraining::movements() const {
  const TrainingSegment& origin = history_.origin_of(state_.step);
  return headlight::movements(run_->layout, origin.checkpoints.front().parameters, state_.parameters);
}

}  // namespace headlight
