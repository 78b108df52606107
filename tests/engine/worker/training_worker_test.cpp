// Training on a thread of its own: reports follow the requests, in order.
#include "engine/worker/training_worker.h"

#include <chrono>
#include <thread>

#include "engine/learning/weight_goals.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer trainable_model() {
  Dice dice(5);
  Layer layer;
  layer.tokens = {"a", "b", "c", "d", "e", "f"};
  layer.embeddings = {dice.matrix(6, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.mask = MaskKind::Causal;
  set_random_weights(dice, layer);
  return layer;
}

TrainingSettings quick_training() {
  TrainingSettings settings;
  settings.optimizer = OptimizerKind::Adam;
  settings.rate = 0.1;
  return settings;
}

std::shared_ptr<const TrainingReport> report_after(TrainingWorker& worker, std::uint64_t request) {
  for (int i = 0; i < 20'000; ++i) {
    const auto report = worker.report();
    if (report && report->request >= request) return report;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  FAIL("the worker did not report");
  return nullptr;
}

}  // namespace

TEST_CASE("training worker: steps, back and on, as a training without a thread") {
  const Layer layer = trainable_model();
  const Goal goal = *pattern_goal(layer, GoalPattern::PreviousToken);
  LayerTraining alone(layer, goal, quick_training());
  for (int i = 0; i < 5; ++i)
    alone.step();
  TrainingWorker worker;
  const auto began = report_after(worker, worker.begin(layer, goal, quick_training()));
  CHECK(began->step == 0);
  CHECK(began->failure.empty());
  for (int i = 0; i < 5; ++i)
    worker.advance(1);
  const auto report = report_after(worker, worker.seek(5));
  CHECK(report->step == 5);
  CHECK(report->loss == alone.loss());
  for (const CellsEdit& block : report->trained)
    CHECK(block.values == input_matrix(alone.layer(), block.input));
  const auto back = report_after(worker, worker.seek(0));
  CHECK(back->step == 0);
  CHECK(back->last_step == 5);
  CHECK(back->loss == began->loss);
  for (const CellsEdit& block : back->trained)
    CHECK(block.values == input_matrix(layer, block.input));
  CHECK_FALSE(worker.busy());
}

TEST_CASE("training worker: an edit branches off, and what cannot be trained is told") {
  Layer layer = trainable_model();
  const Goal goal = *pattern_goal(layer, GoalPattern::Itself);
  TrainingWorker worker;
  worker.begin(layer, goal, quick_training());
  worker.advance(3);
  layer.weights.matrix(Parameter::Query).setConstant(0.25f);
  const auto branched = report_after(worker, worker.branch(layer, goal, quick_training()));
  CHECK(branched->step == branched->last_step);
  for (const CellsEdit& block : branched->trained)
    CHECK(block.values == input_matrix(layer, block.input));
  Goal unfit = goal;
  unfit.target.matrices = {Matrix::Ones(9, 9)};
  const auto refused = report_after(worker, worker.begin(layer, unfit, quick_training()));
  CHECK(refused->failure.find("goal.target") != std::string::npos);
  // A request without a training does nothing.
  CHECK(report_after(worker, worker.advance(1))->last_step == 0);
}

TEST_CASE("training worker: it ends while steps are waiting") {
  const Layer layer = trainable_model();
  TrainingWorker worker;
  worker.begin(layer, *pattern_goal(layer, GoalPattern::FirstToken), quick_training());
  for (int i = 0; i < 50; ++i)
    worker.advance(1000);
}
