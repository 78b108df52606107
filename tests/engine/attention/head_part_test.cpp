// What each head adds to the output: against plain loops, and the sum over heads against the output.
#include "engine/attention/evaluator.h"
#include "engine/attention/kernels.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Tile part_of(const Evaluator& evaluator, Index sequence, Index head) {
  TileRequest request;
  request.stage = Stage::Output;
  request.sequence = sequence;
  request.head = head;
  request.content = TileContent::HeadPart;
  return evaluator.tile(request);
}

// A random layer whose numbers are all finite.
Layer tame_model(Dice& dice) {
  Layer layer = random_layer(dice);
  layer.attention.normalization = Normalization::Softmax;
  return layer;
}

Matrix bias_of(const Layer& layer) {
  const bool present = layer.uses(Parameter::Output) && layer.uses_bias(Parameter::Output);
  return present ? layer.weights.bias(Parameter::Output) : Matrix::Zero(1, layer.d_out());
}

}  // namespace

TEST_CASE("head part: two heads of one dimension, by hand") {
  Matrix concat(2, 2), w(2, 2), part;
  concat << 1, 2, 3, 4;
  w << 10, 20, 30, 40;
  head_part(concat, &w, WeightLayout::InOut, 1, 1, part);
  CHECK(part == (Matrix(2, 2) << 60, 80, 120, 160).finished());
  head_part(concat, &w, WeightLayout::OutIn, 1, 1, part);
  CHECK(part == (Matrix(2, 2) << 40, 80, 80, 160).finished());
  head_part(concat, nullptr, WeightLayout::InOut, 1, 1, part);
  CHECK(part == (Matrix(2, 2) << 0, 2, 0, 4).finished());
}

TEST_CASE("head part: all heads and the bias sum to the output") {
  Dice dice(301);
  for (int i = 0; i < 60; ++i) {
    const Layer layer = tame_model(dice);
    const Evaluator evaluator = evaluate(layer);
    const Index sequence = layer.sequence_count() - 1;
    Matrix sum = bias_of(layer).replicate(layer.token_count(), 1);
    for (Index head = 0; head < layer.head_count(); ++head)
      sum += part_of(evaluator, sequence, head).values;
    const Matrix& output = evaluator.matrix(Stage::Output, sequence, 0);
    INFO("H " << layer.head_count() << ", d_out " << layer.d_out());
    CHECK((sum - output).cwiseAbs().maxCoeff() <= 2e-5f * (1 + output.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("head part: a head that is switched off adds nothing, and the others what they did") {
  Dice dice(302);
  Layer layer = tame_model(dice);
  while (layer.head_count() < 2)
    layer = tame_model(dice);
  layer.attention.disabled_heads.clear();
  const Matrix before = part_of(evaluate(layer), 0, 1).values;
  layer.attention.disabled_heads = {0};
  const Evaluator evaluator = evaluate(layer);
  CHECK(part_of(evaluator, 0, 0).values.isZero(0));
  CHECK(part_of(evaluator, 0, 1).values == before);
}

TEST_CASE("head part: the trace of an output cell names the same parts") {
  Dice dice(303);
  for (int i = 0; i < 40; ++i) {
    const Layer layer = tame_model(dice);
    const Evaluator evaluator = evaluate(layer);
    const Index row = dice.below(layer.token_count()), column = dice.below(layer.d_out());
    const CellTrace trace = evaluator.trace({Stage::Output, 0, 0, row, column});
    REQUIRE(static_cast<Index>(trace.head_parts.size()) == layer.head_count());
    double sum = trace.has_bias ? static_cast<double>(trace.bias) : 0.0;
    for (Index head = 0; head < layer.head_count(); ++head) {
      const float part = trace.head_parts[static_cast<std::size_t>(head)];
      CHECK_THAT(part, WithinAbs(part_of(evaluator, 0, head).values(row, column), 1e-5));
      sum += static_cast<double>(part);
    }
    CHECK_THAT(sum, WithinAbs(trace.value, 1e-5 * (1 + std::abs(trace.value))));
  }
  CHECK(evaluate(tame_model(dice)).trace({Stage::Concat, 0, 0, 0, 0}).head_parts.empty());
}

TEST_CASE("head part: only the output has parts, and only of heads there are") {
  Dice dice(304);
  const Evaluator evaluator = evaluate(tame_model(dice));
  TileRequest request;
  request.content = TileContent::HeadPart;
  request.stage = Stage::Context;
  CHECK_THROWS_AS(evaluator.tile(request), Error);
  request.stage = Stage::Output;
  request.head = evaluator.layer().head_count();
  CHECK_THROWS_AS(evaluator.tile(request), Error);
}
