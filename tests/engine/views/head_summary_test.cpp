// Head summaries against plain loops and small hand-made cases; and heads that are switched off.
#include "engine/views/head_summary.h"

#include <cmath>
#include <limits>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("head summary: each token to itself, all alike, and all to the first") {
  const HeadSummary self = summarize_head(Matrix(Matrix::Identity(4, 4)));
  CHECK(self.entropy_bits == 0);
  CHECK(self.mean_distance == 0);
  CHECK(self.first_weight == 0);  // the first query is not counted

  const HeadSummary even = summarize_head(Matrix(Matrix::Constant(4, 4, 0.25f)));
  CHECK_THAT(even.entropy_bits, WithinAbs(2.0, 1e-6));
  CHECK_THAT(even.mean_distance, WithinAbs((6 + 4 + 4 + 6) / 16.0, 1e-6));
  CHECK(even.first_weight == 0.25f);

  Matrix first = Matrix::Zero(3, 3);
  first.col(0).setOnes();
  CHECK(summarize_head(first).first_weight == 1);
  CHECK(summarize_head(first).mean_distance == 1);
}

TEST_CASE(
    "head summary: a query behind a cache stands at its place among the keys, however scores are kept") {
  Dice dice(93);
  Layer layer;
  layer.tokens = {"a", "b"};
  layer.key_tokens = {"k", "l", "m", "n", "o", "p"};
  layer.embeddings = {dice.matrix(2, 3)};
  layer.key_embeddings = {dice.matrix(6, 3)};
  layer.attention.d_out = 3;
  layer.attention.mask = MaskKind::Rules;
  layer.attention.rules.causal = true;
  layer.attention.rules.offsets = {4};
  for (const StorageKind storage : {StorageKind::Stages, StorageKind::Scores}) {
    const Evaluator evaluator = evaluate(layer, storage);
    const Matrix w = evaluator.matrix(Stage::Weights, 0, 0);
    double distance = 0;
    for (Index row = 0; row < 2; ++row)
      for (Index column = 0; column < 6; ++column)
        distance += double{w(row, column)} * static_cast<double>(std::abs(row + 4 - column));
    const HeadSummary summary = evaluator.head({0, 0});
    CHECK_THAT(summary.mean_distance, WithinAbs(distance / 2, 1e-5));
    CHECK_THAT(summary.first_weight, WithinAbs((double{w(0, 0)} + double{w(1, 0)}) / 2, 1e-5));
  }
}

TEST_CASE("head summary: rows that attend to nothing or are not finite do not count") {
  Matrix weights = Matrix::Zero(3, 3);
  weights(1, 0) = 1;
  weights.row(2).setConstant(std::numeric_limits<float>::quiet_NaN());
  const HeadSummary summary = summarize_head(weights);
  CHECK(summary.rows == 1);
  CHECK(summary.first_weight == 1);
  CHECK(summary.mean_distance == 1);
  const HeadSummary nothing = summarize_head(Matrix(Matrix::Zero(2, 2)));
  CHECK(nothing.rows == 0);
  CHECK(nothing.entropy_bits == 0);
}

TEST_CASE("head summary: a negative weight counts by its size") {
  Matrix weights(2, 2);
  weights << 1.0f, 0.0f, -0.5f, 1.5f;
  CHECK(summarize_head(weights).first_weight == 0.25f);
}

TEST_CASE("head summary: agrees with plain loops on random models") {
  Dice dice(91);
  for (int i = 0; i < 40; ++i) {
    Layer layer = random_layer(dice);
    layer.attention.normalization = Normalization::Softmax;
    const Evaluator evaluator = evaluate(layer);
    const Index head = layer.head_count() - 1;
    const Matrix& w = evaluator.matrix(Stage::Weights, 0, head);
    double entropy = 0, distance = 0, first = 0;
    Index rows = 0, behind_first = 0;
    for (Index r = 0; r < w.rows(); ++r) {
      if (w.row(r).sum() == 0) continue;
      ++rows;
      if (r > 0) {
        ++behind_first;
        first += w(r, 0);
      }
      for (Index c = 0; c < w.cols(); ++c) {
        if (w(r, c) > 0) entropy -= w(r, c) * std::log2(static_cast<double>(w(r, c)));
        distance += w(r, c) * std::abs(static_cast<double>(r - c));
      }
    }
    const HeadSummary summary = evaluator.head({0, head});
    const double count = static_cast<double>(std::max<Index>(rows, 1));
    CHECK(summary.rows == rows);
    CHECK_THAT(summary.entropy_bits, WithinAbs(entropy / count, 1e-5));
    CHECK_THAT(summary.mean_distance, WithinAbs(distance / count, 1e-5));
    CHECK_THAT(summary.first_weight,
               WithinAbs(first / static_cast<double>(std::max<Index>(behind_first, 1)), 1e-5));
  }
}

TEST_CASE("heads: one that is switched off keeps its context and leaves zeros in concat") {
  Dice dice(92);
  Layer layer = random_layer(dice);
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 6;
  layer.attention.num_heads = 3;
  layer.attention.disabled_heads.clear();
  layer.attention.output_projection = true;
  draw_weights(layer, {});
  Evaluator evaluator = evaluate(layer);
  const Matrix context = evaluator.matrix(Stage::Context, 0, 1);
  const Matrix concat = evaluator.matrix(Stage::Concat, 0, 0);
  const Matrix output = evaluator.matrix(Stage::Output, 0, 0);
  AttentionSettings settings = layer.attention;
  settings.disabled_heads = {1};
  evaluator.apply(SettingsEdit{settings});
  evaluator.refresh();
  CHECK(same_bits(evaluator.matrix(Stage::Context, 0, 1), context));
  CHECK(evaluator.matrix(Stage::Concat, 0, 0).middleCols(2, 2).isZero(0));
  CHECK(evaluator.matrix(Stage::Concat, 0, 0).leftCols(2) == concat.leftCols(2));
  CHECK(evaluator.matrix(Stage::Output, 0, 0) != output);

  settings.disabled_heads = {0, 1, 2};
  evaluator.apply(SettingsEdit{settings});
  evaluator.refresh();
  CHECK(evaluator.matrix(Stage::Concat, 0, 0).isZero(0));
}

TEST_CASE("heads: a list that names no head, or one twice, is refused") {
  Dice dice(93);
  Layer layer = random_layer(dice);
  layer.attention.disabled_heads = {layer.attention.num_heads};
  CHECK_THROWS_AS(validate(layer), Error);
  layer.attention.disabled_heads = {0, 0};
  CHECK_THROWS_AS(validate(layer), Error);
  layer.attention.disabled_heads = {-1};
  CHECK_THROWS_AS(validate(layer), Error);
}

TEST_CASE("heads: another number of heads means other heads, all of them on") {
  Dice dice(94);
  Layer layer = random_layer(dice);
  layer.attention.projection = Projection::Linear;
  layer.attention.d_out = 4;
  layer.attention.num_heads = 4;
  layer.attention.disabled_heads = {1, 3};
  draw_weights(layer, {});
  set_num_heads(layer, 4);
  CHECK(layer.attention.disabled_heads == std::vector<Index>{1, 3});
  set_num_heads(layer, 2);
  CHECK(layer.attention.disabled_heads.empty());
}
