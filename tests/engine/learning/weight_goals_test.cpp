// Goals for the weights: patterns of known heads, likeness, painting.
#include "engine/learning/weight_goals.h"

#include <cmath>
#include <string>

#include "engine/attention/evaluator.h"
#include "engine/learning/goal_loss.h"
#include "engine/learning/gradients.h"
#include "tests/support/catch.h"
#include "tests/support/random_goals.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Tokens a b a c a, causal.
Layer repeating_model() {
  Dice dice(1);
  Layer layer;
  layer.tokens = {"a", "b", "a", "c", "a"};
  layer.embeddings = {dice.matrix(5, 4)};
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 2;
  layer.attention.mask = MaskKind::Causal;
  set_random_weights(dice, layer);
  return layer;
}

// The shares of a row with the target's sum; "" if nothing is wanted.
std::string wanted_keys(const Goal& goal, Index head, Index query) {
  const Matrix& target = goal.target.of(0, head);
  if (!(target_row_sum(target, query, target.cols()) > 0)) return "";
  std::string keys;
  for (Index key = 0; key < target.cols(); ++key)
    if (target(query, key) > 0) keys += std::to_string(key);
  return keys;
}

std::string wanted_rows(const std::optional<Goal>& goal, Index head = 0) {
  if (!goal) return "none";
  std::string rows;
  for (Index query = 0; query < goal->target.rows(); ++query)
    rows += (query > 0 ? " " : "") + wanted_keys(*goal, head, query);
  return rows;
}

}  // namespace

TEST_CASE("weight goals: the patterns are those of the heads that they are named for") {
  const Layer layer = repeating_model();
  CHECK(wanted_rows(pattern_goal(layer, GoalPattern::PreviousToken)) == " 0 1 2 3");
  CHECK(wanted_rows(pattern_goal(layer, GoalPattern::FirstToken)) == "0 0 0 0 0");
  CHECK(wanted_rows(pattern_goal(layer, GoalPattern::Itself)) == "0 1 2 3 4");
  CHECK(wanted_rows(pattern_goal(layer, GoalPattern::SameTokenBefore)) == "  0  02");
  CHECK(wanted_rows(pattern_goal(layer, GoalPattern::Induction)) == "  1  13");
  CHECK(wanted_rows(pattern_goal(layer, GoalPattern::Uniform)) == "0 01 012 0123 01234");
  const auto second = pattern_goal(layer, GoalPattern::Itself, 1);
  CHECK(wanted_rows(second, 0) == "    ");
  CHECK(wanted_rows(second, 1) == "0 1 2 3 4");
  Layer different = layer;
  different.tokens = {"a", "b", "c", "d", "e"};
  CHECK(wanted_rows(pattern_goal(different, GoalPattern::Induction)) == "none");
}

TEST_CASE("weight goals: of any model a pattern is a valid goal or there is none") {
  Dice dice(2);
  int goals = 0;
  for (int i = 0; i < 400; ++i) {
    const Layer layer = i % 2 == 0 ? random_layer(dice) : random_cross_layer(dice);
    for (const GoalPatternInfo& info : goal_pattern_table()) {
      const auto head =
          dice.chance(0.5) ? std::optional<Index>(dice.below(layer.head_count())) : std::nullopt;
      const auto goal = pattern_goal(layer, info.pattern, head);
      if (!goal) continue;
      INFO("model " << i << ", " << std::string(info.name));
      CHECK_NOTHROW(validate_goal(layer, *goal));
      ++goals;
    }
  }
  CHECK(goals > 1000);
}

TEST_CASE("weight goals: a likeness is reached by the weights themselves") {
  Dice dice(3);
  int reached = 0;
  for (int i = 0; i < 700; ++i) {
    const Layer layer = random_cross_layer(dice);
    if (layer.attention.normalization != Normalization::Softmax || layer.sequence_count() > 1 ||
        layer.attention.projection == Projection::Weights || !layer.overwritten.empty())
      continue;
    const Index head = dice.below(layer.head_count());
    const Evaluator evaluator = evaluate(layer);
    const auto goal = likeness_goal(layer, evaluator.matrix(Stage::Weights, 0, head), head);
    if (!goal) continue;
    INFO("layer " << i);
    const double share = share_reached(layer, *goal, gradients(layer, *goal, {0, 0}).loss);
    CHECK(std::abs(share - 1) < 1e-3);
    ++reached;
  }
  CHECK(reached > 30);
  Layer layer = repeating_model();
  const Goal first = *pattern_goal(layer, GoalPattern::FirstToken);
  CHECK(std::abs(share_reached(layer, first, std::log(4.0)) - 0.25) < 1e-9);
  Goal same = {Stage::Weights, Loss::CrossEntropy, {1, 1, {Matrix::Ones(1, 1)}}};
  layer.attention.mask = MaskKind::None;
  CHECK(std::abs(share_reached(layer, same, std::log(5.0)) - 1) < 1e-9);
}

// The mean entropy over every row of the stage, number by number, however the target is spread.
double plain_least_loss(const Layer& layer, const Goal& goal) {
  const auto [sequences, heads, rows, columns] = target_axes(layer, goal.stage);
  double sum = 0, count = 0;
  for (Index sequence = 0; sequence < sequences; ++sequence)
    for (Index head = 0; head < heads; ++head)
      for (Index row = 0; row < rows; ++row) {
        double total = 0, entropy = 0;
        for (Index column = 0; column < columns; ++column)
          total += static_cast<double>(goal.target.at(sequence, head, row, column));
        if (!(total > 0)) continue;
        for (Index column = 0; column < columns; ++column) {
          const double share = static_cast<double>(goal.target.at(sequence, head, row, column)) / total;
          if (share > 0) entropy -= share * std::log(share);
        }
        sum += entropy;
        ++count;
      }
  return sum / count;
}

TEST_CASE("weight goals: the least loss is the mean entropy of the rows, stored or spread") {
  Dice dice(8);
  int entropies = 0, spread = 0;
  for (int i = 0; i < 600; ++i) {
    const Layer layer = random_cross_layer(dice);
    const auto goal = random_goal(dice, layer);
    if (!goal) continue;
    INFO("layer " << i);
    if (goal->loss == Loss::Squared) {
      CHECK(least_loss(layer, *goal) == 0);
      continue;
    }
    const double expected = plain_least_loss(layer, *goal);
    CHECK(std::abs(least_loss(layer, *goal) - expected) < 1e-9);
    CHECK(std::abs(share_reached(layer, *goal, expected + std::log(2.0)) - 0.5) < 1e-9);
    ++entropies;
    if (goal->target.columns() < layer.key_count() || goal->target.rows() < layer.token_count()) ++spread;
  }
  CHECK(entropies > 30);
  CHECK(spread > 5);
}

TEST_CASE("weight goals: brushes want keys, exclude them and take wishes back") {
  const Layer layer = repeating_model();
  const auto at = [](Index query, Index key) { return CellAddress{Stage::Weights, 0, 1, query, key}; };
  auto goal = painted_goal(layer, nullptr, at(3, 1), GoalBrush::AttendHere);
  REQUIRE(goal);
  CHECK(wanted_rows(goal, 1) == "   1 ");
  CHECK(wanted_rows(goal, 0) == "    ");
  goal = painted_goal(layer, &*goal, at(3, 2), GoalBrush::AttendHere);
  CHECK(wanted_rows(goal, 1) == "   12 ");
  goal = painted_goal(layer, &*goal, at(2, 1), GoalBrush::NotHere);
  CHECK(wanted_rows(goal, 1) == "  02 12 ");
  CHECK(*painted_goal(layer, &*goal, at(2, 4), GoalBrush::AttendHere) == *goal);  // a closed pair
  goal = painted_goal(layer, &*goal, at(3, 0), GoalBrush::DoNotCare);
  CHECK(wanted_rows(goal, 1) == "  02  ");
  goal = painted_goal(layer, &*goal, at(2, 0), GoalBrush::NotHere);
  CHECK(wanted_rows(goal, 1) == "  2  ");
  CHECK_FALSE(painted_goal(layer, &*goal, at(2, 2), GoalBrush::NotHere));
  // A goal for all heads keeps what it wants of the others.
  const auto all = pattern_goal(layer, GoalPattern::FirstToken);
  goal = painted_goal(layer, &*all, at(2, 1), GoalBrush::AttendHere);
  CHECK(wanted_rows(goal, 0) == "0 0 0 0 0");
  CHECK(wanted_rows(goal, 1) == "0 0 01 0 0");
}

TEST_CASE("weight goals: painting anywhere in any model leaves a valid goal or none") {
  Dice dice(4);
  int painted = 0;
  for (int i = 0; i < 200; ++i) {
    const Layer layer = random_cross_layer(dice);
    std::optional<Goal> goal;
    for (int stroke = 0; stroke < 20; ++stroke) {
      const CellAddress cell = {Stage::Weights, dice.below(layer.sequence_count()),
                                dice.below(layer.head_count()), dice.below(layer.token_count()),
                                dice.below(layer.key_count())};
      goal = painted_goal(layer, goal ? &*goal : nullptr, cell, static_cast<GoalBrush>(dice.below(3)));
      INFO("layer " << i);
      if (!goal) continue;
      CHECK_NOTHROW(validate_goal(layer, *goal));
      ++painted;
    }
  }
  CHECK(painted > 1000);
}
