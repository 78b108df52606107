#include "engine/learning/moved_goal.h"

#include <cmath>
#include <limits>

#include "engine/layer/lines.h"
#include "engine/learning/number_goals.h"
#include "engine/learning/weight_goals.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// 4 tokens without a mask, 2 heads.
Layer model_of_goals() {
  Layer layer;
  layer.tokens = {"a", "b", "c", "d"};
  layer.embeddings = {Matrix::Random(4, 4)};
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  validate(layer);
  return layer;
}

Goal painted(const Layer& layer, Index head, Index query, Index key) {
  return *painted_goal(layer, nullptr, {Stage::Weights, 0, head, query, key}, GoalBrush::AttendHere);
}

}  // namespace

TEST_CASE("moved goal: rows and columns move with their tokens") {
  const Layer layer = model_of_goals();
  const Goal goal = painted(layer, 1, 2, 3);
  Layer shorter = layer;
  remove_token(shorter, 0);
  const std::optional<Goal> moved = moved_goal(layer, goal, shorter);
  REQUIRE(moved);
  CHECK(target_fits(shorter, *moved));
  CHECK(moved->target.of(0, 1)(1, 2) == 1);
  CHECK(std::isnan(moved->target.of(0, 1)(0, 0)));
  Layer longer = layer;
  insert_token(longer, 1, "new", false);
  const std::optional<Goal> grown = moved_goal(layer, goal, longer);
  REQUIRE(grown);
  CHECK(grown->target.of(0, 1)(3, 4) == 1);
  CHECK(grown->target.of(0, 1)(3, 1) == 0);
  CHECK(std::isnan(grown->target.of(0, 1)(1, 0)));
}

TEST_CASE("moved goal: what has no meaning afterwards is gone") {
  const Layer layer = model_of_goals();
  Layer shorter = layer;
  remove_token(shorter, 2);
  CHECK_FALSE(moved_goal(layer, painted(layer, 1, 2, 3), shorter));
  Layer heads = layer;
  heads.attention.num_heads = 4;
  CHECK_FALSE(moved_goal(layer, painted(layer, 1, 2, 3), heads));
  CHECK_FALSE(target_fits(heads, painted(layer, 1, 2, 3)));
}

TEST_CASE("moved goal: painting and typing begin anew on a goal that does not fit") {
  const Layer layer = model_of_goals();
  const Goal weights = painted(layer, 1, 2, 3);
  const Goal scores = *wanted_number(layer, nullptr, {Stage::Scores, 0, 1, 2, 3}, 0.5f);
  for (const Index heads : {Index{1}, Index{4}}) {
    Layer other = layer;
    other.attention.num_heads = heads;
    const Goal fresh = *painted_goal(other, &weights, {Stage::Weights, 0, 0, 1, 1}, GoalBrush::AttendHere);
    CHECK(fresh == *painted_goal(other, nullptr, {Stage::Weights, 0, 0, 1, 1}, GoalBrush::AttendHere));
    CHECK(*wanted_number(other, &scores, {Stage::Scores, 0, 0, 1, 1}, 2.0f) ==
          *wanted_number(other, nullptr, {Stage::Scores, 0, 0, 1, 1}, 2.0f));
  }
  Layer longer = layer;
  insert_token(longer, 4, "new", false);
  const Goal fresh = *painted_goal(longer, &weights, {Stage::Weights, 0, 0, 4, 4}, GoalBrush::AttendHere);
  CHECK(target_fits(longer, fresh));
}
