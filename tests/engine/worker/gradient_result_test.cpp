// Gradients in the answers of the worker: tiles, traces, and what is said where there are none.
#include "engine/worker/view_result.h"

#include "engine/learning/weight_goals.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Layer causal_layer() {
  Dice dice(6);
  Layer layer;
  layer.tokens = {"a", "b", "c", "d"};
  layer.embeddings = {dice.matrix(4, 3)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.mask = MaskKind::Causal;
  set_random_weights(dice, layer);
  return layer;
}

TileRequest gradient_tile_request(Stage stage, Index head) {
  TileRequest request;
  request.stage = stage;
  request.head = head;
  request.content = TileContent::Gradient;
  return request;
}

}  // namespace

TEST_CASE(
    "gradient results: tiles and traces are those of the gradients, and are kept for the same numbers") {
  const Layer layer = causal_layer();
  const auto goal = std::make_shared<const Goal>(*pattern_goal(layer, GoalPattern::FirstToken));
  Evaluator evaluator = evaluate(layer);
  ViewRequest request;
  request.tiles = {gradient_tile_request(Stage::Scores, 1), gradient_tile_request(Stage::Context, 0)};
  request.gradients = {goal, kAllStages, true};
  request.gradient_traces = {{Stage::Scores, 0, 1, 2, 1}};
  request.input_gradient_traces = {{{InputKind::Weight, 0, Parameter::Key}, 1, 2}};
  const auto answer = make_result(evaluator, nullptr, request, 1, nullptr);
  const Gradients all = gradients(layer, *goal);
  REQUIRE(answer->gradients);
  CHECK(answer->gradients->refusal.empty());
  CHECK(answer->gradients->gradients.loss == all.loss);
  REQUIRE(answer->tiles[0]);
  CHECK(answer->tiles[0]->values == all.of(Stage::Scores)[1]);
  REQUIRE(answer->tiles[1]);
  CHECK(answer->tiles[1]->values.isZero());
  REQUIRE(answer->find_gradient(request.gradient_traces[0]));
  CHECK(answer->find_gradient(request.gradient_traces[0])->value == all.of(Stage::Scores)[1](2, 1));
  REQUIRE(answer->find_gradient(request.input_gradient_traces[0]));
  CHECK(answer->find_gradient(request.input_gradient_traces[0])->value == all.matrix(Parameter::Key)(1, 2));
  const auto again = make_result(evaluator, nullptr, request, 1, answer.get());
  CHECK(again->gradients == answer->gradients);
  CHECK(again->tiles[0] == answer->tiles[0]);
  request.gradients.goal = std::make_shared<const Goal>(*pattern_goal(layer, GoalPattern::Itself));
  const auto other = make_result(evaluator, nullptr, request, 1, again.get());
  CHECK(other->gradients != again->gradients);
  CHECK_FALSE(other->tiles[0]->values == again->tiles[0]->values);
}

TEST_CASE("gradient results: a goal that does not fit is refused in words, and has no tiles") {
  const Layer layer = causal_layer();
  Goal unfit = *pattern_goal(layer, GoalPattern::FirstToken);
  unfit.target.matrices = {Matrix::Ones(7, 7)};
  Evaluator evaluator = evaluate(layer);
  ViewRequest request;
  request.tiles = {gradient_tile_request(Stage::Scores, 0)};
  request.gradients = {std::make_shared<const Goal>(unfit), kAllStages, true};
  request.gradient_traces = {{Stage::Scores, 0, 1, 2, 1}};
  const auto answer = make_result(evaluator, nullptr, request, 1, nullptr);
  CHECK(answer->gradients->refusal.find("goal.target") != std::string::npos);
  CHECK_FALSE(answer->tiles[0]);
  CHECK_FALSE(answer->gradient_traces[0]);
  request.gradients = {};
  const auto none = make_result(evaluator, nullptr, request, 1, answer.get());
  CHECK_FALSE(none->gradients);
  CHECK_FALSE(none->tiles[0]);
}
