// Training of one layer: the same bits on every way to a step, edits in between, divergence, the optimizers.
#include "engine/learning/layer_training.h"

#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"
#include "tests/support/random_goals.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// As in the notebooks: 6 tokens of 3 numbers, d_k 2; each token is to look at the one before it.
Layer six_tokens(Index d_out = 2) {
  Dice dice(7);
  Layer layer;
  layer.tokens = {"Your", "journey", "starts", "with", "one", "step"};
  layer.embeddings = {dice.matrix(6, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = d_out;
  for (std::size_t p = 0; p < 3; ++p)
    layer.weights.matrices[p] = dice.matrix(3, d_out);
  return layer;
}

Goal previous_token() {
  Goal goal;
  Matrix target = Matrix::Zero(6, 6);
  for (Index i = 0; i < 6; ++i)
    target(i, std::max<Index>(0, i - 1)) = 1;
  goal.target = {1, 1, {target}};
  return goal;
}

TrainingSettings settings_of(OptimizerKind optimizer, double rate) {
  TrainingSettings settings;
  settings.optimizer = optimizer;
  settings.rate = rate;
  return settings;
}

bool same_trained(const Layer& a, const Layer& b) {
  for (std::size_t p = 0; p < 4; ++p)
    if (!same_bits(a.weights.matrices[p], b.weights.matrices[p]) ||
        !same_bits(a.weights.biases[p], b.weights.biases[p]))
      return false;
  return all_same_bits(a.embeddings, b.embeddings);
}

void take_steps(LayerTraining& training, int count) {
  for (int i = 0; i < count; ++i)
    training.step();
}

}  // namespace

TEST_CASE("training steps: the loss decreases and is that of the model") {
  for (const OptimizerKind kind : {OptimizerKind::Sgd, OptimizerKind::Adam, OptimizerKind::AdamW}) {
    LayerTraining training(six_tokens(), previous_token(),
                           settings_of(kind, kind == OptimizerKind::Sgd ? 0.5 : 0.05));
    const double before = training.loss();
    take_steps(training, 200);
    CHECK(training.loss() < before - 0.3);
    CHECK(training.loss() == gradients(training.layer(), previous_token()).loss);
    CHECK(training.settings().steps == 200);
    CHECK(training.curve().count() == 201);
    CHECK(training.curve().ranges().front().low == before);
    CHECK(training.curve().ranges().back().high == training.loss());
  }
}

TEST_CASE("training steps: a step gone back to equals a fresh run, bit for bit") {
  Dice dice(41);
  int trained = 0;
  for (int i = 0; i < 120; ++i) {
    INFO("layer " << i);
    const Layer layer = random_cross_layer(dice);
    const std::optional<Goal> goal = random_goal(dice, layer);
    TrainingSettings settings = random_training(dice, layer);
    settings.rate *= 0.05;
    if (!goal || trained_parts(layer, settings).empty()) continue;
    LayerTraining training(layer, *goal, settings, {4, 8, 1e9});
    take_steps(training, 37);
    const Index taken = training.last_step() - settings.steps;
    for (const Index back : {dice.below(taken + 1), dice.below(taken + 1), taken}) {
      training.seek(settings.steps + back);
      LayerTraining fresh(layer, *goal, settings);
      take_steps(fresh, static_cast<int>(back));
      REQUIRE(training.step_number() == fresh.step_number());
      REQUIRE(same_trained(training.layer(), fresh.layer()));
      REQUIRE((training.loss() == fresh.loss() || std::isnan(fresh.loss())));
      if (back < taken) training.step();
      REQUIRE(training.last_step() == settings.steps + taken);
      ++trained;
    }
  }
  CHECK(trained > 150);
}

TEST_CASE("training steps: an edit in between forgets the later ones, and both sides can be gone back to") {
  const auto edited = [](Layer layer) {
    layer.weights.matrix(Parameter::Key)(1, 0) += 0.25f;
    return layer;
  };
  LayerTraining training(six_tokens(), previous_token(), settings_of(OptimizerKind::Adam, 0.05));
  take_steps(training, 30);
  training.seek(20);
  const Layer at_20 = training.layer();
  training.branch(edited(training.layer()));
  CHECK(training.last_step() == 20);
  CHECK(training.curve().count() == 21);
  CHECK(training.curve().ranges().back().low == training.loss());
  take_steps(training, 15);
  const Layer at_35 = training.layer();
  training.seek(19);
  training.step();  // the step to the edit leads to the edited numbers
  CHECK(same_trained(training.layer(), edited(at_20)));
  training.seek(7);
  LayerTraining fresh(six_tokens(), previous_token(), settings_of(OptimizerKind::Adam, 0.05));
  take_steps(fresh, 7);
  CHECK(same_trained(training.layer(), fresh.layer()));
  training.seek(35);
  CHECK(same_trained(training.layer(), at_35));
}

TEST_CASE("training steps: an edit may change the shape, the goal and the settings") {
  LayerTraining training(six_tokens(), previous_token(), settings_of(OptimizerKind::Adam, 0.05));
  take_steps(training, 10);
  const Layer before = training.layer();
  TrainingSettings slower = settings_of(OptimizerKind::Sgd, 0.1);
  slower.parameters = {TrainedPart::Query, TrainedPart::Embeddings};
  Goal goal = {Stage::Output, Loss::Squared, {1, 1, {Matrix::Zero(1, 1)}}};
  training.branch(six_tokens(3), goal, slower);
  CHECK(training.step_number() == 10);
  CHECK(training.movements().size() == 2);
  take_steps(training, 10);
  CHECK(training.settings().optimizer == OptimizerKind::Sgd);
  CHECK(training.layer().d_out() == 3);
  CHECK(same_trained(training.layer(), [&] {
    LayerTraining fresh(six_tokens(3), goal, slower);
    take_steps(fresh, 10);
    return fresh.layer();
  }()));
  training.seek(9);
  CHECK(training.goal() == previous_token());
  training.step();
  training.seek(8);
  take_steps(training, 1);
  CHECK(training.layer().d_out() == 2);
  // A bad edit changes nothing.
  Layer bad = training.layer();
  bad.embeddings.front()(0, 0) = std::nanf("");
  CHECK_THROWS_AS(training.branch(bad), Error);
  CHECK(training.last_step() == 20);
  CHECK(training.step_number() == 9);
}

TEST_CASE("training steps: what moved most comes first") {
  TrainingSettings settings = settings_of(OptimizerKind::Sgd, 0.5);
  settings.parameters = {TrainedPart::Embeddings, TrainedPart::Key, TrainedPart::Value};
  const Layer start = six_tokens();
  LayerTraining training(start, previous_token(), settings);
  take_steps(training, 50);
  const std::vector<Movement> moves = training.movements();
  REQUIRE(moves.size() == 3);
  CHECK(moves[0].distance >= moves[1].distance);
  CHECK(moves[2].name == "value");  // the weights do not depend on it
  CHECK(moves[2].distance == 0);
  for (const Movement& move : moves) {
    if (move.name != "key") continue;
    const Matrix &from = start.weights.matrix(Parameter::Key),
                 &to = training.layer().weights.matrix(Parameter::Key);
    CHECK(std::abs(move.distance - static_cast<double>((to - from).norm())) < 1e-5);
    CHECK(move.from == from(move.row, move.column));
    CHECK(move.to == to(move.row, move.column));
    CHECK(std::abs(move.to - move.from) == (to - from).cwiseAbs().maxCoeff());
  }
}

TEST_CASE("training steps: a loss or a number that would not be finite ends it before that step") {
  const Layer layer = six_tokens();
  const Goal goal = {Stage::Output, Loss::Squared, {1, 1, {Matrix::Constant(1, 1, 3.0f)}}};
  for (const double rate : {10.0, 30.0, 100.0, 300.0, 1e3, 1e4, 1e6}) {
    INFO("rate " << rate);
    // With two states in memory the last step is often between them.
    LayerTraining training(layer, goal, settings_of(OptimizerKind::Sgd, rate), {2, 8, 1e9});
    for (int i = 0; i < 400 && !training.divergence(); ++i)
      training.step();
    REQUIRE(training.divergence().has_value());
    CHECK(training.divergence()->step == training.last_step() + 1);
    CHECK_THAT(training.divergence()->reason, ContainsSubstring("is not finite"));
    CHECK(training.step_number() == training.last_step());
    CHECK(training.settings().steps == training.last_step());
    CHECK(std::isfinite(training.loss()));
    validate(training.layer());  // all numbers are finite
    LayerTraining fresh(layer, goal, settings_of(OptimizerKind::Sgd, rate));
    take_steps(fresh, static_cast<int>(training.last_step()));
    CHECK(same_trained(training.layer(), fresh.layer()));
    // From an edited state it goes on.
    training.seek(0);
    training.branch(layer, goal, settings_of(OptimizerKind::Sgd, 0.1));
    CHECK_FALSE(training.divergence().has_value());
    take_steps(training, 20);
    CHECK(training.last_step() == 20);
  }
}

TEST_CASE("training steps: a number that would be infinite is named") {
  LayerTraining training(six_tokens(), previous_token(), settings_of(OptimizerKind::Sgd, 1e300));
  training.step();
  REQUIRE(training.divergence().has_value());
  CHECK(training.divergence()->step == 1);
  CHECK_THAT(training.divergence()->reason, ContainsSubstring("query, row 1, column 1, is not finite"));
  CHECK(training.last_step() == 0);
}

TEST_CASE("training steps: a weight that gets no logarithm ends it with that reason") {
  Layer layer = six_tokens();
  layer.attention.normalization = Normalization::Sum;
  layer.embeddings.front() = layer.embeddings.front().cwiseAbs().eval();
  for (Matrix& matrix : layer.weights.matrices)
    matrix = matrix.cwiseAbs().eval();
  LayerTraining training(layer, previous_token(), settings_of(OptimizerKind::Adam, 0.3));
  take_steps(training, 300);
  REQUIRE(training.divergence().has_value());
  CHECK_THAT(training.divergence()->reason, ContainsSubstring("which has no logarithm"));
  CHECK(std::isfinite(training.loss()));
}

TEST_CASE("training steps: a first loss that is not finite is said at once") {
  Layer layer = six_tokens();
  layer.attention.normalization = Normalization::NaiveSoftmax;
  layer.embeddings.front() *= 1e4f;
  LayerTraining training(layer, {Stage::Output, Loss::Squared, {1, 1, {Matrix::Zero(1, 1)}}}, {});
  REQUIRE(training.divergence().has_value());
  CHECK(training.divergence()->step == 0);
  training.step();
  CHECK(training.last_step() == 0);
}

TEST_CASE("training steps: Adam without momenta, AdamW without decay, and no rate") {
  const auto after = [](TrainingSettings settings, int steps) {
    LayerTraining training(six_tokens(), previous_token(), settings);
    take_steps(training, steps);
    return training.layer();
  };
  TrainingSettings adam = settings_of(OptimizerKind::Adam, 0.05);
  TrainingSettings without_decay = settings_of(OptimizerKind::AdamW, 0.05);
  without_decay.decay = 0;
  CHECK(same_trained(after(adam, 20), after(without_decay, 20)));
  TrainingSettings with_decay = settings_of(OptimizerKind::AdamW, 0.05);
  CHECK_FALSE(same_trained(after(adam, 20), after(with_decay, 20)));
  TrainingSettings sgd = settings_of(OptimizerKind::Sgd, 0.5), ignored = sgd, with_momentum = sgd;
  ignored.betas = {0.1, 0.2};
  ignored.decay = 3;
  CHECK(same_trained(after(sgd, 20), after(ignored, 20)));
  with_momentum.momentum = 0.5;
  CHECK(same_trained(after(sgd, 1), after(with_momentum, 1)));
  CHECK_FALSE(same_trained(after(sgd, 2), after(with_momentum, 2)));
  with_momentum.momentum = 1e-30;  // computed, and too small to matter
  CHECK(same_trained(after(sgd, 20), after(with_momentum, 20)));
  CHECK(same_trained(after(settings_of(OptimizerKind::Sgd, 0), 20), six_tokens()));
  adam.epsilon = 1e-300;  // value has no gradient: 0 / epsilon
  CHECK(same_bits(after(adam, 3).weights.matrix(Parameter::Value),
                  six_tokens().weights.matrix(Parameter::Value)));
}

TEST_CASE("training steps: what cannot be trained is refused") {
  Layer layer = six_tokens();
  check_error([&] { LayerTraining(layer, previous_token(), settings_of(OptimizerKind::Sgd, -1)); },
              "the rate is -1", "training.rate", "0 or more");
  Goal goal = previous_token();
  goal.target.matrices.front().resize(2, 6);
  CHECK_THROWS_AS(LayerTraining(layer, goal, {}), Error);
  layer.attention.projection = Projection::None;
  layer.attention.d_out = 3;
  check_error([&] { LayerTraining(layer, previous_token(), {}); }, "nothing to train", "training.parameters",
              "embeddings");
  TrainingSettings embeddings;
  embeddings.parameters = {TrainedPart::Embeddings};
  LayerTraining training(layer, previous_token(), embeddings);
  const double before = training.loss();
  take_steps(training, 20);
  CHECK(training.loss() < before);
}

TEST_CASE("training steps: memory is bounded, and what it does not hold is where one can go back to") {
  // Each segment holds its model of 36 numbers and checkpoints of 18: 4 of them are within 800 bytes.
  LayerTraining training(six_tokens(), previous_token(), settings_of(OptimizerKind::Sgd, 0.1), {128, 3, 1e9});
  for (int i = 0; i < 6; ++i) {
    take_steps(training, 5);
    training.branch(training.layer());
  }
  CHECK(training.first_step() == 20);
  training.seek(0);
  CHECK(training.step_number() == 20);
  LayerTraining small(six_tokens(), previous_token(), settings_of(OptimizerKind::Sgd, 0.1), {128, 64, 800});
  take_steps(small, 100);
  CHECK(small.first_step() == 0);
  small.seek(63);
  LayerTraining fresh(six_tokens(), previous_token(), settings_of(OptimizerKind::Sgd, 0.1));
  take_steps(fresh, 63);
  CHECK(same_trained(small.layer(), fresh.layer()));
}

TEST_CASE("training steps: of ten thousand steps every one can be gone back to, and the curve stays small") {
  LayerTraining training(six_tokens(), previous_token(), settings_of(OptimizerKind::Adam, 0.02));
  take_steps(training, 7777);
  const Layer at_7777 = training.layer();
  take_steps(training, 2223);
  CHECK(training.last_step() == 10000);
  CHECK(training.curve().ranges().size() <= LossCurve::kMostRanges);
  training.seek(7777);
  CHECK(training.step_number() == 7777);
  CHECK(same_trained(training.layer(), at_7777));
}

TEST_CASE("training steps: the states in memory are few, and evenly spread over the steps") {
  TrainingHistory history({8, 4, 1e9});
  history.begin(std::make_shared<const TrainingSetup>(TrainingSetup{six_tokens(), previous_token(), {}}),
                {5, ParameterVector::Zero(18), {}});
  for (Index step = 6; step <= 1005; ++step)
    if (history.wants(step)) history.note({step, ParameterVector::Zero(18), {}});
  const TrainingSegment& segment = history.segment_of(1005);
  CHECK(segment.checkpoints.size() <= 8);
  CHECK(segment.stride == 128);
  for (Index step = 5; step <= 1005; ++step)
    REQUIRE(history.checkpoint_before(step).step == step - (step - 5) % 128);
}

TEST_CASE("loss curve: ranges of steps, whatever was forgotten and added again") {
  Dice dice(42);
  std::vector<double> losses;
  LossCurve curve(3);
  for (int i = 0; i < 30000; ++i) {
    losses.push_back(dice.real(0, 1));
    curve.add(losses.back());
  }
  REQUIRE(curve.stride() == 8);
  CHECK(curve.count() == 30000);
  CHECK(curve.ranges().size() == 3750);
  curve.forget_from(3 + 12345);  // in the middle of a range
  losses.resize(12345);
  CHECK(curve.count() == 12345);
  for (int i = 0; i < 100; ++i) {
    losses.push_back(dice.real(1, 2));
    curve.add(losses.back());
  }
  for (std::size_t i = 0; i < curve.ranges().size(); ++i) {
    const auto begin = losses.begin() + static_cast<std::ptrdiff_t>(i == 1543 ? 12345 : 8 * i);
    const auto end = losses.begin() + static_cast<std::ptrdiff_t>(std::min(losses.size(), 8 * i + 8));
    INFO("range " << i);
    REQUIRE(curve.ranges()[i].low == *std::min_element(begin, end));
    REQUIRE(curve.ranges()[i].high == *std::max_element(begin, end));
  }
}
