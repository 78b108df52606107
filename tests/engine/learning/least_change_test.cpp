// The least change that reaches a goal: reached or not, with which loss, and how far from the start.
#include "engine/learning/least_change.h"

#include <cmath>

#include "engine/core/error.h"
#include "engine/learning/goal_loss.h"
#include "engine/learning/gradients.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer linear_layer(Dice& dice, Index tokens, Index d_in, Index d_out) {
  Layer layer;
  for (Index i = 0; i < tokens; ++i)
    layer.tokens.push_back(std::to_string(i));
  layer.embeddings = {dice.matrix(tokens, d_in)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = d_out;
  for (std::size_t p = 0; p < 3; ++p)
    layer.weights.matrices[p] = dice.matrix(d_in, d_out, 1 / std::sqrt(static_cast<double>(d_in)));
  return layer;
}

// One query gives this share of its attention to one key and the rest evenly to the others.
Goal beam(Index tokens, Index query, Index key, float share) {
  Goal goal;
  Matrix target = Matrix::Zero(tokens, tokens);
  target.row(query).setConstant((1 - share) / static_cast<float>(tokens - 1));
  target(query, key) = share;
  goal.target = {1, 1, {target}};
  return goal;
}

LeastChangeRequest request_of(std::vector<TrainedPart> parts, int passes) {
  LeastChangeRequest request;
  request.parameters = std::move(parts);
  request.passes = passes;
  return request;
}

double distance_of(const LeastChange& change) {
  double sum = 0;
  for (const Movement& move : change.movements)
    sum += move.distance * move.distance;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("least change: a beam is pulled to every word, with a few passes") {
  Dice dice(51);
  const Layer start = linear_layer(dice, 40, 64, 64);
  for (Index key = 0; key < 40; ++key)
    for (const float share : {0.3f, 0.9f}) {
      INFO("key " << key << ", share " << share);
      Layer layer = start;
      const LeastChange change = change_least(start, layer, beam(40, 7, key, share),
                                              request_of({TrainedPart::Query, TrainedPart::Key}, 60));
      CHECK(change.reached);
      CHECK(change.passes <= 60);
      CHECK(std::abs(change.loss - change.above - least_loss(start, beam(40, 7, key, share))) < 1e-6);
      CHECK(change.loss == gradients(layer, beam(40, 7, key, share)).loss);
      CHECK(change.movements.size() == 2);
      CHECK(same_bits(layer.weights.matrix(Parameter::Value), start.weights.matrix(Parameter::Value)));
      CHECK(distance_of(change) < 0.75 * static_cast<double>(start.weights.matrix(Parameter::Query).norm()));
    }
}

TEST_CASE("least change: what is asked for is what changes; nothing does where the goal is met") {
  Dice dice(52);
  const Layer start = linear_layer(dice, 6, 3, 2);
  Layer layer = start;
  const LeastChange change =
      change_least(start, layer, beam(6, 2, 4, 0.7f), request_of({TrainedPart::Embeddings}, 100));
  CHECK(change.reached);
  REQUIRE(change.movements.size() == 1);
  CHECK(change.movements[0].name == "embeddings");
  CHECK(all_same_bits(layer.weights.matrices, start.weights.matrices));
  Layer again = layer;
  const LeastChange none =
      change_least(start, again, beam(6, 2, 4, 0.7f), request_of({TrainedPart::Embeddings}, 100));
  CHECK(none.passes == 1);
  CHECK(all_same_bits(again.embeddings, layer.embeddings));
}

TEST_CASE("least change: it is at most twice as far as many small steps down the gradient lead") {
  Dice dice(53);
  for (int i = 0; i < 10; ++i) {
    const Layer start = linear_layer(dice, 6, 8, 8);
    const Goal goal = beam(6, dice.below(6), dice.below(6), 0.8f);
    const LeastChangeRequest request = request_of({TrainedPart::Query, TrainedPart::Key}, 200);
    Layer layer = start;
    const LeastChange change = change_least(start, layer, goal, request);
    REQUIRE(change.reached);
    const TrainedLayout layout(start, request.parameters);
    Layer slow = start;
    ParameterVector begin, at, gradient;
    layout.read(start, begin);
    at = begin;
    Gradients all = gradients(slow, goal, layout.request());
    for (int step = 0; step < 20000 && all.loss - least_loss(start, goal) > request.tolerance; ++step) {
      layout.read(all, gradient);
      at -= 0.05f * gradient;
      layout.write(at, slow);
      all = gradients(slow, goal, layout.request());
    }
    INFO(distance_of(change) << " against " << (at - begin).matrix().norm());
    CHECK(distance_of(change) < 2 * static_cast<double>((at - begin).matrix().norm()));
  }
}

TEST_CASE("least change: with one number per query and key not every word can look at the one before it") {
  Dice dice(54);
  Goal goal;
  Matrix target = Matrix::Zero(6, 6);
  for (Index i = 0; i < 6; ++i)
    target(i, std::max<Index>(0, i - 1)) = 1;
  goal.target = {1, 1, {target}};
  const Layer start = linear_layer(dice, 6, 3, 1);
  Layer layer = start;
  LeastChange change;
  for (int call = 0; call < 20 && !change.settled; ++call)
    change = change_least(start, layer, goal, request_of({}, 60));
  CHECK_FALSE(change.reached);
  CHECK(change.settled);
  CHECK(change.above > 0.5);
  CHECK(change.above == change.loss);
  validate(layer);
}

TEST_CASE("least change: a squared goal, few passes, and faults") {
  Dice dice(55);
  const Layer start = linear_layer(dice, 6, 3, 2);
  Goal goal = {Stage::Weights, Loss::Squared, {1, 1, {Matrix::Constant(6, 6, std::nanf(""))}}};
  goal.target.matrices.front()(1, 3) = 0.75f;
  Layer layer = start;
  const LeastChange first = change_least(start, layer, goal, request_of({}, 20));
  CHECK(first.passes == 20);
  LeastChange change = first;
  for (int call = 0; call < 40 && !change.reached; ++call)
    change = change_least(start, layer, goal, request_of({}, 20));
  CHECK(change.reached);
  CHECK(change.loss < first.loss);
  CHECK(change.above == change.loss);
  CHECK_THROWS_AS(change_least(start, layer, goal, request_of({TrainedPart::Output}, 3)), Error);
  goal.target.matrices.front().resize(1, 3);
  CHECK_THROWS_AS(change_least(start, layer, goal, request_of({}, 3)), Error);
}

TEST_CASE("least change: a goal that a step leaves without a logarithm is approached in smaller steps") {
  Dice dice(56);
  Layer start = linear_layer(dice, 4, 6, 4);
  start.attention.normalization = Normalization::Sum;
  start.embeddings.front() = start.embeddings.front().cwiseAbs().eval();
  for (Matrix& matrix : start.weights.matrices)
    matrix = matrix.cwiseAbs().eval();
  Layer layer = start;
  const LeastChange change = change_least(start, layer, beam(4, 1, 2, 0.6f), request_of({}, 200));
  CHECK(change.reached);
  validate(layer);
}
