// Gradients of random layers with every kind of goal against plain_gradients.h, and against differences.
#include "engine/learning/gradients.h"

#include <cmath>
#include <string>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/format_support.h"
#include "tests/support/plain_gradients.h"
#include "tests/support/random_goals.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct GradientTally {
  std::size_t compared = 0, undecidable = 0;
};

void compare_gradient(const Matrix& got, const PlainMatrix& expected, GradientTally& tally) {
  REQUIRE(got.rows() == static_cast<Index>(expected.size()));
  for (Index r = 0; r < got.rows(); ++r)
    for (Index c = 0; c < got.cols(); ++c) {
      const Bounded& cell = expected[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      ++(std::isfinite(cell.error) ? tally.compared : tally.undecidable);
      if (agrees(got(r, c), cell)) continue;
      FAIL("row " << r << ", column " << c << ": " << got(r, c) << ", the twin has " << cell.value
                  << " with an error of " << cell.error);
    }
}

void compare_gradients(const std::vector<Matrix>& got, const std::vector<PlainMatrix>& expected,
                       GradientTally& tally) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t m = 0; m < got.size(); ++m) {
    INFO("matrix " << m);
    compare_gradient(got[m], expected[m], tally);
  }
}

// Every stage up to the goal's, every input and the loss.
void compare_all(const Layer& layer, const Goal& goal, const Gradients& got, GradientTally& tally) {
  PlainGradients expected = plain_gradients(layer, goal);
  if (std::isfinite(expected.loss.error)) {
    INFO("loss " << got.loss << ", the twin has " << expected.loss.value << " with " << expected.loss.error);
    CHECK(std::abs(got.loss - expected.loss.value) <= expected.loss.error + 1e-7 * expected.loss.value);
  }
  for (const Stage stage : goal_stages(layer)) {
    INFO("stage " << std::string(stage_info(stage).name));
    if (stage > goal.stage)
      CHECK(got.of(stage).empty());
    else
      compare_gradients(got.of(stage), expected.of(stage), tally);
  }
  for (const Parameter p : kParameters) {
    INFO("parameter " << parameter_name(p));
    if (layer.uses(p)) compare_gradient(got.matrix(p), expected.matrices[static_cast<std::size_t>(p)], tally);
    if (layer.uses_bias(p))
      compare_gradient(got.bias(p), expected.biases[static_cast<std::size_t>(p)], tally);
  }
  if (layer.attention.projection == Projection::Linear || layer.attention.projection == Projection::None)
    compare_gradients(got.key_embeddings, expected.key_embeddings, tally);
}

GradientTally compare_random_models(const char* what, std::uint32_t seed, int count, Layer (*make)(Dice&)) {
  Dice dice(seed);
  GradientTally tally;
  for (int i = 0; i < count; ++i) {
    const Layer layer = make(dice);
    const auto goal = random_goal(dice, layer);
    if (!goal) continue;
    INFO(what << " " << i << ", goal of " << std::string(stage_info(goal->stage).name)
              << (goal->loss == Loss::Squared ? ", squared" : ", cross entropy"));
    try {
      compare_all(layer, *goal, gradients(layer, *goal), tally);
    } catch (const Error& error) {  // a weight without a logarithm
      INFO(error.what());
      CHECK(goal->loss == Loss::CrossEntropy);
      CHECK((layer.attention.normalization == Normalization::Sum || !layer.overwritten.empty() ||
             layer.attention.projection == Projection::Weights));
    }
  }
  return tally;
}

// T tokens, H heads in G groups, all settings of a layer of a Llama, and long enough for several blocks.
Layer long_layer(Dice& dice, Index tokens) {
  Layer layer;
  for (Index t = 0; t < tokens; ++t)
    layer.tokens.push_back(std::to_string(t));
  layer.embeddings.push_back(dice.matrix(tokens, 24));
  AttentionSettings& a = layer.attention;
  a.projection = Projection::Linear;
  a.d_out = 20;
  a.num_heads = 4;
  a.num_kv_heads = 2;
  a.d_k = a.d_v = 16;
  a.output_projection = true;
  a.position.kind = PositionKind::Rotary;
  a.mask = MaskKind::Causal;
  set_random_weights(dice, layer);
  return layer;
}

double loss_of(const Layer& layer, const Goal& goal) {
  return plain_gradients(layer, goal).loss.value;
}

}  // namespace

TEST_CASE("gradients: of random models with every goal they are the twin's") {
  const GradientTally tally = compare_random_models("model", 71, 1500, random_layer);
  CHECK(tally.compared > 50'000);
  CHECK(tally.undecidable < tally.compared / 4);
}

TEST_CASE("gradients: of layers as real models have them they are the twin's") {
  const GradientTally tally = compare_random_models("layer", 72, 1500, random_cross_layer);
  CHECK(tally.compared > 50'000);
  CHECK(tally.undecidable < tally.compared / 4);
}

TEST_CASE("gradients: of layers with sinks they are the twin's") {
  const GradientTally tally = compare_random_models("layer", 76, 500, random_sink_layer);
  CHECK(tally.compared > 20'000);
}

TEST_CASE("gradients: an overwritten number has a gradient, and passes none on") {
  const GradientTally tally = compare_random_models("layer", 73, 700, random_overwritten_layer);
  CHECK(tally.compared > 20'000);
}

TEST_CASE("gradients: over several blocks of rows, of the whole and of a window") {
  Dice dice(74);
  for (const bool window : {false, true}) {
    Layer layer = long_layer(dice, 300);
    if (window) {
      layer.attention.mask = MaskKind::Rules;
      layer.attention.rules.causal = true;
      layer.attention.rules.left = 40;
    }
    Goal goal = {Stage::Output, Loss::Squared, {1, 1, {dice.matrix(300, 20)}}};
    GradientTally tally;
    compare_all(layer, goal, gradients(layer, goal), tally);
    // Without the stages of pairs, only the keys that a block may attend to are looked at.
    const Gradients whole = gradients(layer, goal);
    const Gradients part = gradients(layer, goal, {stage_bit(Stage::Queries), kAllParameters});
    CHECK(part.of(Stage::Weights).empty());
    CHECK(part.of(Stage::Embeddings).empty());
    for (std::size_t m = 0; m < part.of(Stage::Queries).size(); ++m)
      CHECK(part.of(Stage::Queries)[m].isApprox(whole.of(Stage::Queries)[m], 1e-4f));
    for (const Parameter p : kParameters)
      CHECK(part.matrix(p).isApprox(whole.matrix(p), 1e-4f));
  }
}

TEST_CASE("gradients: they are the limit of differences of the loss") {
  Dice dice(75);
  int compared = 0;
  for (int i = 0; i < 60; ++i) {
    Layer layer = random_cross_layer(dice);
    if (layer.attention.projection != Projection::Linear ||
        layer.attention.normalization != Normalization::Softmax)
      continue;
    const auto goal = random_goal(dice, layer);
    if (!goal) continue;
    const Gradients all = gradients(layer, *goal);
    const auto differs = [&](float& number, float gradient) {
      const float before = number;
      constexpr float kNudge = 0x1p-10f;
      number = before + kNudge;
      const double above = loss_of(layer, *goal), high = number;
      number = before - kNudge;
      const double below = loss_of(layer, *goal), low = number;
      number = before;
      CHECK(std::abs((above - below) / (high - low) - gradient) < 1e-4 * std::max(1.0f, std::abs(gradient)));
      ++compared;
    };
    INFO("layer " << i << ", goal of " << std::string(stage_info(goal->stage).name));
    const auto some = [&](Matrix& numbers, const Matrix& gradient) {
      if (numbers.size() == 0) return;
      const Index at = dice.below(numbers.size());
      differs(numbers.data()[at], gradient.data()[at]);
    };
    some(layer.embeddings.back(), all.of(Stage::Embeddings).back());
    if (!layer.key_embeddings.empty()) some(layer.key_embeddings.back(), all.key_embeddings.back());
    for (const Parameter p : kParameters) {
      if (layer.uses(p)) some(layer.weights.matrix(p), all.matrix(p));
      if (layer.uses_bias(p)) some(layer.weights.bias(p), all.bias(p));
    }
  }
  CHECK(compared > 40);
}

TEST_CASE("gradients: of a weight too small for float32 the cross entropy is finite") {
  Layer layer;
  layer.tokens = {"a", "b"};
  layer.embeddings = {(Matrix(2, 1) << 20.0f, -20.0f).finished()};
  layer.attention.d_out = 1;
  const Goal goal = {Stage::Weights, Loss::CrossEntropy, {1, 1, {(Matrix(1, 2) << 0.0f, 1.0f).finished()}}};
  const Gradients all = gradients(layer, goal);
  // Row a: scores 400 and -400, of which the second is wanted. Row b: -400 and 400.
  CHECK(std::abs(all.loss - 400) < 1e-4);
  CHECK(all.of(Stage::Scores)[0](0, 0) == 0.5f);
  CHECK(all.of(Stage::Scores)[0](0, 1) == -0.5f);
  CHECK(all.of(Stage::Scores)[0].row(1).isZero());
}

TEST_CASE("gradients: what cannot be computed is refused") {
  Dice dice(76);
  Layer layer = long_layer(dice, 5);
  Goal goal = {Stage::Output, Loss::Squared, {1, 1, {dice.matrix(5, 20)}}};
  CHECK(gradients(layer, goal, {0, false}).matrix(Parameter::Query).size() == 0);
  Layer longer = long_layer(dice, kMostGradientTokens + 1);
  goal.target = {1, 1, {dice.matrix(1, 20)}};
  check_error([&] { gradients(longer, goal); }, "4097 tokens", "tokens", "fewer");
  layer.attention.normalization = Normalization::Sum;
  layer.weights.matrix(Parameter::Query).setZero();
  layer.attention.mask = MaskKind::None;
  layer.attention.position = {};
  layer.weights.matrix(Parameter::Query)(0, 0) = 1;
  const Goal entropy = {Stage::Weights, Loss::CrossEntropy, {1, 1, {Matrix::Ones(1, 1)}}};
  check_error([&] { gradients(layer, entropy); }, "has no logarithm", "goal.target", "squared");
}
