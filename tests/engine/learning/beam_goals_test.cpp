// Goals of pulled beams, and of single numbers.
#include "engine/learning/beam_goals.h"

#include <cmath>

#include "engine/attention/evaluator.h"
#include "engine/learning/gradients.h"
#include "engine/learning/number_goals.h"
#include "engine/learning/weight_goals.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

TakenBeam beam_of(const Layer& layer, const CellAddress& weight) {
  return {weight,
          Matrix(evaluate(layer).matrix(Stage::Weights, weight.sequence, weight.head).row(weight.row))};
}

Matrix wanted_row(const Goal& goal, const CellAddress& weight) {
  return goal.target.of(weight.sequence, weight.head).row(weight.row);
}

// Causal, five tokens, two heads.
Layer causal_model() {
  Dice dice(7);
  Layer layer;
  layer.tokens = {"a", "b", "c", "d", "e"};
  layer.embeddings = {dice.matrix(5, 4)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.mask = MaskKind::Causal;
  set_random_weights(dice, layer);
  return layer;
}

}  // namespace

TEST_CASE("beam goals: a weight moves to a key, and between two keys it is shared") {
  const Layer layer = causal_model();
  const TakenBeam beam = beam_of(layer, {Stage::Weights, 0, 1, 3, 0});
  const float weight = beam.row(0, 0);
  const auto there = moved_beam(layer, beam, 2);
  REQUIRE(there);
  CHECK(wanted_row(*there, beam.weight)(0, 0) == 0);
  CHECK(std::abs(wanted_row(*there, beam.weight)(0, 2) - beam.row(0, 2) - weight) < 1e-6f);
  CHECK(wanted_row(*there, beam.weight)(0, 1) == beam.row(0, 1));
  const auto between = moved_beam(layer, beam, 1.25);
  REQUIRE(between);
  CHECK(std::abs(wanted_row(*between, beam.weight)(0, 1) - beam.row(0, 1) - 0.75f * weight) < 1e-6f);
  CHECK(std::abs(wanted_row(*between, beam.weight)(0, 2) - beam.row(0, 2) - 0.25f * weight) < 1e-6f);
  // Nothing of other rows and heads.
  CHECK(std::isnan(there->target.of(0, 1)(2, 0)));
  CHECK(there->target.of(0, 0).array().isNaN().all());
  CHECK(std::abs(wanted_weight(*there, {Stage::Weights, 0, 1, 3, 2}) -
                 static_cast<double>(beam.row(0, 2) + weight)) < 1e-6);
}

TEST_CASE("beam goals: nothing goes to a closed pair") {
  const Layer layer = causal_model();
  const TakenBeam beam = beam_of(layer, {Stage::Weights, 0, 0, 2, 1});
  CHECK_FALSE(moved_beam(layer, beam, 4));
  CHECK_FALSE(moved_beam(layer, beam, 99));
  const auto edge = moved_beam(layer, beam, 2.5);
  REQUIRE(edge);
  CHECK(std::abs(wanted_row(*edge, beam.weight)(0, 2) - beam.row(0, 2) - beam.row(0, 1)) < 1e-6f);
  CHECK_FALSE(can_be_pulled(layer, {{Stage::Weights, 0, 0, 1, 3}, beam.row}));
}

TEST_CASE("beam goals: a wider beam takes from the others in their proportions") {
  const Layer layer = causal_model();
  const TakenBeam beam = beam_of(layer, {Stage::Weights, 0, 1, 4, 2});
  const auto wide = widened_beam(layer, beam, 0.75);
  REQUIRE(wide);
  const Matrix row = wanted_row(*wide, beam.weight);
  CHECK(std::abs(row(0, 2) - 0.75f) < 1e-6f);
  CHECK(std::abs(row.sum() - 1) < 1e-5f);
  CHECK(std::abs(row(0, 0) / row(0, 1) - beam.row(0, 0) / beam.row(0, 1)) < 1e-4f);
  // A query with one key has nothing to take from; a weight of 1 beside other keys leaves them equal parts.
  CHECK_FALSE(widened_beam(layer, beam_of(layer, {Stage::Weights, 0, 0, 0, 0}), 0.5));
  TakenBeam whole = beam;
  whole.row.setZero();
  whole.row(0, 2) = 1;
  const auto thin = widened_beam(layer, whole, 0.5);
  REQUIRE(thin);
  CHECK(std::abs(wanted_row(*thin, beam.weight)(0, 4) - 0.125f) < 1e-6f);
}

TEST_CASE("beam goals: any pull in any layer is a valid goal or none") {
  Dice dice(8);
  int goals = 0;
  for (int i = 0; i < 300; ++i) {
    const Layer layer = random_cross_layer(dice);
    const CellAddress weight = {Stage::Weights, dice.below(layer.sequence_count()),
                                dice.below(layer.head_count()), dice.below(layer.token_count()),
                                dice.below(layer.key_count())};
    const TakenBeam beam = beam_of(layer, weight);
    if (!can_be_pulled(layer, beam)) continue;
    INFO("layer " << i);
    const double place = dice.real(-2, 10);
    for (const auto& goal : {moved_beam(layer, beam, place), widened_beam(layer, beam, dice.real(0, 1))}) {
      if (!goal) continue;
      CHECK_NOTHROW(validate_goal(layer, *goal));
      ++goals;
    }
  }
  CHECK(goals > 100);
}

TEST_CASE("number goals: numbers are wanted one by one, and the loss is their squared distance") {
  const Layer layer = causal_model();
  const CellAddress cell = {Stage::Context, 0, 1, 2, 1};
  const auto one = wanted_number(layer, nullptr, cell, 0.5f);
  REQUIRE(one);
  const float now = evaluate(layer).matrix(Stage::Context, 0, 1)(2, 1);
  CHECK(std::abs(gradients(layer, *one).loss - std::pow(static_cast<double>(now) - 0.5, 2)) < 1e-6);
  const auto two = wanted_number(layer, &*one, {Stage::Context, 0, 0, 0, 0}, 1.0f);
  REQUIRE(two);
  CHECK(wanted_count(layer, *two) == 2);
  CHECK_FALSE(wanted_number(layer, &*one, cell, std::nullopt));
  // A goal of another stage begins anew; of a closed pair nothing can be wanted.
  CHECK(wanted_count(layer, *wanted_number(layer, &*two, {Stage::Scores, 0, 0, 1, 1}, 2.0f)) == 1);
  const auto masked = wanted_number(layer, nullptr, {Stage::Masked, 0, 0, 1, 1}, 2.0f);
  REQUIRE(masked);
  CHECK(*wanted_number(layer, &*masked, {Stage::Masked, 0, 0, 1, 4}, 2.0f) == *masked);
}

TEST_CASE("number goals: the numbers of a state are reached by that state") {
  const Layer layer = causal_model();
  const Evaluator evaluator = evaluate(layer);
  const auto all = [&](Stage stage) {
    std::vector<Matrix> numbers;
    for (Index head = 0; head < stage_heads(layer, stage); ++head)
      numbers.push_back(evaluator.matrix(stage, 0, head));
    return numbers;
  };
  const auto output = same_numbers(layer, Stage::Output, all(Stage::Output));
  REQUIRE(output);
  CHECK(gradients(layer, *output).loss < 1e-10);
  const auto weights = same_weights(layer, all(Stage::Weights));
  REQUIRE(weights);
  CHECK(std::abs(share_reached(layer, *weights, gradients(layer, *weights).loss) - 1) < 1e-4);
  const auto masked = same_numbers(layer, Stage::Masked, all(Stage::Masked));
  REQUIRE(masked);
  CHECK(wanted_count(layer, *masked) == 30);
  CHECK_FALSE(same_numbers(layer, Stage::Output, {Matrix::Zero(2, 2)}));
  CHECK_FALSE(same_weights(layer, {}));
}

TEST_CASE("gradients: the loss alone is that of the whole backward pass") {
  Dice dice(9);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const Layer layer = random_cross_layer(dice);
    for (const Stage stage : {Stage::Scores, Stage::Weights, Stage::Context, Stage::Output}) {
      if (!stage_exists(layer, stage)) continue;
      const auto goal = wanted_number(layer, nullptr, {stage, 0, 0, 0, 0}, 0.25f);
      if (!goal) continue;
      INFO("layer " << i << ", " << std::string(stage_info(stage).name));
      CHECK(gradients(layer, *goal, {0, 0}).loss == gradients(layer, *goal).loss);
      ++compared;
    }
  }
  CHECK(compared > 200);
}
