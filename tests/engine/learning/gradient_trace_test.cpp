// The derivation of gradients: each step against the stored gradients and numbers, of random layers.
#include "engine/learning/gradient_trace.h"

#include <cmath>
#include <string>

#include "engine/core/error.h"
#include "engine/layer/overwriting.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"
#include "tests/support/random_goals.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The sum of a step's terms, or what its rule makes of them.
double value_of_rule(const GradientStep& step, Loss loss) {
  double sum = 0;
  for (const GradientTerm& term : step.terms)
    sum += static_cast<double>(term.gradient) * static_cast<double>(term.factor);
  const auto own = static_cast<double>(step.own), scale = static_cast<double>(step.scale);
  switch (step.rule) {
    case GradientRule::Goal:
      if (!step.target) return 0;
      if (loss == Loss::Squared) return 2 * (own - static_cast<double>(*step.target)) / scale;
      return *step.target == 0 ? 0 : -static_cast<double>(*step.target) / (own * scale);
    case GradientRule::Softmax:
      return scale * (own - sum);
    case GradientRule::DividedBySum:
      return (own - sum) / scale;
    case GradientRule::Closed:
    case GradientRule::NoEffect:
      return 0;
    default:
      return sum;
  }
}

struct TraceTally {
  int compared = 0, skipped = 0;
};

// Every step is what its rule says of the step before and of the stored numbers.
void check_trace(const GradientTrace& trace, Loss loss, float expected, TraceTally& tally) {
  CHECK((trace.value == expected || (std::isnan(trace.value) && std::isnan(expected))));
  for (const GradientStep& step : trace.steps) {
    double size = std::abs(static_cast<double>(step.own));
    for (const GradientTerm& term : step.terms)
      size += std::abs(static_cast<double>(term.product()));
    if (step.rule == GradientRule::DividedBySum) size /= std::abs(static_cast<double>(step.scale));
    if (!std::isfinite(step.value) || !(size < 1e5)) {
      ++tally.skipped;
      continue;
    }
    const double by_rule = value_of_rule(step, loss);
    INFO("own " << step.own << ", scale " << step.scale << ", value " << step.value << ", by its terms "
                << by_rule << " from " << step.terms.size() << " of size " << size);
    INFO("rule " << static_cast<int>(step.rule) << " of " << std::string(stage_info(step.stage).name));
    CHECK(std::abs(by_rule - static_cast<double>(step.value)) <=
          1e-4 * std::max({1e-2, size, std::abs(by_rule)}));
    ++tally.compared;
  }
}

void check_traces_of(Dice& dice, const Layer& layer, const Goal& goal, TraceTally& tally) {
  const Gradients all = gradients(layer, goal);
  const Evaluator evaluator = evaluate(layer);
  for (const Stage stage : stages_in_use(layer)) {
    const Index head = dice.below(stage_heads(layer, stage)), sequence = dice.below(layer.sequence_count());
    const CellAddress cell = {stage, sequence, head, dice.below(stage_rows(layer, stage)),
                              dice.below(stage_columns(layer, stage))};
    INFO("cell of " << std::string(stage_info(stage).name));
    const std::vector<Matrix>& of_stage = all.of(stage);
    const bool after = stage > goal.stage;
    if (of_stage.empty() && !after) continue;  // given queries, keys and values have no embeddings
    const auto at = static_cast<std::size_t>(sequence * stage_heads(layer, stage) + head);
    check_trace(trace_gradient(evaluator, goal, all, cell), goal.loss,
                after ? 0 : of_stage[at](cell.row, cell.column), tally);
  }
  for (const Parameter p : kParameters)
    for (const InputKind kind : {InputKind::Weight, InputKind::Bias}) {
      const Matrix& of_parameter = kind == InputKind::Weight ? all.matrix(p) : all.bias(p);
      if (of_parameter.size() == 0) continue;
      const InputCell cell = {{kind, 0, p}, dice.below(of_parameter.rows()), dice.below(of_parameter.cols())};
      INFO("cell of " << input_name(cell.input));
      check_trace(trace_gradient(evaluator, goal, all, cell), goal.loss, of_parameter(cell.row, cell.column),
                  tally);
    }
  if (all.key_embeddings.empty()) return;
  const Matrix& keys = all.key_embeddings.front();
  const InputCell cell = {{InputKind::KeyEmbeddings}, dice.below(keys.rows()), dice.below(keys.cols())};
  INFO("cell of key embeddings");
  check_trace(trace_gradient(evaluator, goal, all, cell), goal.loss, keys(cell.row, cell.column), tally);
}

}  // namespace

TEST_CASE("gradient traces: each step follows from its terms, of every stage, setting and goal") {
  Dice dice(81);
  TraceTally tally;
  for (int i = 0; i < 900; ++i) {
    const Layer layer = i % 3 == 0   ? random_layer(dice)
                        : i % 3 == 1 ? random_cross_layer(dice)
                                     : random_overwritten_layer(dice);
    const auto goal = random_goal(dice, layer);
    if (!goal) continue;
    INFO("model " << i << ", goal of " << std::string(stage_info(goal->stage).name));
    try {
      check_traces_of(dice, layer, *goal, tally);
    } catch (const Error& error) {  // a weight without a logarithm
      INFO(error.what());
      CHECK(goal->loss == Loss::CrossEntropy);
    }
  }
  CHECK(tally.compared > 8000);
  CHECK(tally.skipped < tally.compared / 10);
}

TEST_CASE("gradient traces: sinks have their share in the sum of a row") {
  Dice dice(83);
  TraceTally tally;
  for (int i = 0; i < 200; ++i) {
    Layer layer = random_sink_layer(dice);
    if (i % 2 == 0 && may_be_overwritten(layer, Stage::Weights))
      layer.overwritten = {{Stage::Weights, 0, 0, 0, 0, Matrix::Constant(1, 1, 0.3f)}};
    const auto goal = random_goal(dice, layer);
    if (!goal || goal->loss == Loss::CrossEntropy) continue;
    INFO("model " << i << ", goal of " << std::string(stage_info(goal->stage).name));
    check_traces_of(dice, layer, *goal, tally);
  }
  CHECK(tally.compared > 500);
}

TEST_CASE("gradient traces: what is not there is refused") {
  Dice dice(82);
  const Layer layer = random_layer(dice);
  const auto goal = random_goal(dice, layer);
  REQUIRE(goal);
  const Gradients none = gradients(layer, *goal, {0, 0});
  const Evaluator evaluator = evaluate(layer);
  const CellAddress own = {goal->stage, 0, 0, 0, 0};
  check_error([&] { trace_gradient(evaluator, *goal, none, own); }, "not stored",
              std::string(stage_info(goal->stage).name), "ask for");
  CellAddress outside = own;
  outside.row = 1000;
  check_error([&] { trace_gradient(evaluator, *goal, none, outside); }, "no such number",
              std::string(stage_info(goal->stage).name), "another");
}
