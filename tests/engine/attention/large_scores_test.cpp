// Scores from thousands to a million, where one unit in the last place changes a weight: with every kind of
// storage the weights equal those of plain loops and the softmax of the evaluator's own masked scores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/plain_attention.h"
#include "tests/support/random_models.h"
#include "tests/support/stage_errors.h"

using namespace headlight;
using namespace headlight_test;

namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

Layer model_of(const Matrix& embeddings, double factor) {
  Layer layer;
  layer.tokens.assign(static_cast<std::size_t>(embeddings.rows()), "t");
  layer.embeddings = {embeddings};
  layer.attention.projection = Projection::None;
  layer.attention.output_projection = false;
  layer.attention.d_out = embeddings.cols();
  layer.attention.scale = {ScaleKind::Number, factor};
  return layer;
}

// A layer whose largest scaled score has this magnitude; some of its tokens have equal embeddings.
Layer model_with_scores(Dice& dice, Index tokens, double size) {
  Layer layer = softmax_model(dice, tokens);
  for (Matrix& x : layer.embeddings)
    for (Index i = dice.below(tokens); i > 0; --i)
      x.row(dice.below(tokens)) = x.row(dice.below(tokens)).eval();
  layer.attention.scale = {ScaleKind::Number, 1.0};
  layer.attention.dropout.training = false;
  double most = 0;
  const Evaluator raw = evaluate(layer, StorageKind::Stages);
  for (Index b = 0; b < layer.sequence_count(); ++b)
    for (Index h = 0; h < layer.head_count(); ++h)
      most = std::max(most, size_of(raw.matrix(Stage::Scores, b, h)));
  layer.attention.scale.number = (dice.chance(0.3) ? -size : size) / most;
  return layer;
}

void check_against_twin(const Evaluator& evaluator, const PlainForward& twin) {
  const Layer& layer = evaluator.layer();
  for (const Stage stage : {Stage::Scaled, Stage::Weights, Stage::Context})
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (Index h = 0; h < layer.head_count(); ++h) {
        INFO(std::string(stage_info(stage).name) << ", sequence " << b << ", head " << h);
        const Matrix& got = evaluator.matrix(stage, b, h);
        const PlainMatrix& expected = twin.of(stage)[static_cast<std::size_t>(b * layer.head_count() + h)];
        for (Index r = 0; r < got.rows(); ++r)
          for (Index c = 0; c < got.cols(); ++c)
            if (const Bounded& cell = expected[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
                !agrees(got(r, c), cell))
              FAIL("row " << r << ", column " << c << ": " << got(r, c) << ", the twin has " << cell.value
                          << " with an error of " << cell.error);
      }
}

// Checks that the weights are the softmax of the evaluator's own masked scores, rounded as they are.
void check_weights_of_masked(const Evaluator& evaluator) {
  const Layer& layer = evaluator.layer();
  for (Index b = 0; b < layer.sequence_count(); ++b)
    for (Index h = 0; h < layer.head_count(); ++h) {
      const Matrix &masked = evaluator.matrix(Stage::Masked, b, h),
                   &weights = evaluator.matrix(Stage::Weights, b, h);
      for (Index r = 0; r < masked.rows(); ++r) {
        PlainRow row(static_cast<std::size_t>(masked.cols()));
        for (Index c = 0; c < masked.cols(); ++c)
          row[static_cast<std::size_t>(c)].value = masked(r, c);
        const PlainRow expected = plain_softmax(row, false);
        for (Index c = 0; c < masked.cols(); ++c)
          if (const Bounded& cell = expected[static_cast<std::size_t>(c)]; !agrees(weights(r, c), cell))
            FAIL("sequence " << b << ", head " << h << ", row " << r << ", column " << c << ": "
                             << weights(r, c) << ", the softmax is " << cell.value);
      }
    }
}

}  // namespace

TEST_CASE("strips: a token that is like no other attends to itself alone, however large the scores") {
  for (const Index tokens : {316, 317})
    for (const double factor : {0.3, 16.6, 99.0}) {
      Matrix embeddings = Matrix::Constant(tokens, 1, 100.1f);
      embeddings(tokens - 1, 0) = -100.1f;
      for (const StorageKind storage :
           {StorageKind::Automatic, StorageKind::Stages, StorageKind::Scores, StorageKind::Map}) {
        INFO(tokens << " tokens, times " << factor << ", kept as " << static_cast<int>(storage));
        const Evaluator evaluator = evaluate(model_of(embeddings, factor), storage);
        const Matrix& weights = evaluator.matrix(Stage::Weights, 0, 0);
        CHECK(weights(tokens - 1, tokens - 1) == 1.0f);
        CHECK_THAT(weights(0, 0), WithinRel(1.0f / static_cast<float>(tokens - 1), 1e-5f));
        CHECK_THAT(weights.row(0).sum(), WithinRel(1.0f, 1e-5f));
      }
    }
}

TEST_CASE("strips: scores up to a million give the weights of plain loops, in every way of keeping") {
  Dice dice(90);
  for (int round = 0; round < 40; ++round) {
    const double size = std::pow(10.0, dice.real(1.0, 6.0));
    const Layer layer = model_with_scores(dice, dice.between(1, 90), size);
    const PlainForward twin = plain_forward(layer);
    for (const StorageKind storage : {StorageKind::Stages, StorageKind::Scores, StorageKind::Map}) {
      INFO("round " << round << ", " << layer.token_count() << " tokens, scores up to " << size
                    << ", kept as " << static_cast<int>(storage));
      const Evaluator evaluator = evaluate(layer, storage);
      REQUIRE(evaluator.storage() == storage);
      check_against_twin(evaluator, twin);
      check_weights_of_masked(evaluator);
    }
  }
}

TEST_CASE("strips: scores up to a million follow edits as if they were made anew") {
  Dice dice(91);
  for (int round = 0; round < 20; ++round) {
    const double size = std::pow(10.0, dice.real(2.0, 6.0));
    Evaluator lived(model_with_scores(dice, dice.between(20, 120), size), StorageKind::Scores);
    lived.refresh();
    for (int edit = 0; edit < 10; ++edit) {
      const Layer& layer = lived.layer();
      lived.apply(CellsEdit{{},
                            dice.below(layer.token_count()),
                            0,
                            dice.matrix(1, layer.d_in(), dice.chance(0.5) ? 1.5 : 0.1)});
      lived.refresh();
      INFO("round " << round << ", edit " << edit << ", scores up to " << size);
      REQUIRE(lived.storage() == StorageKind::Scores);
      check_weights_of_masked(lived);
      for (Index h = 0; h < layer.head_count(); ++h) {
        const Matrix context = lived.matrix(Stage::Weights, 0, h) * lived.matrix(Stage::Values, 0, h);
        CHECK(error_of(lived.matrix(Stage::Context, 0, h), context) < 2e-5);
      }
    }
  }
}

TEST_CASE("map: a query that attends to late keys alone, by scores far below zero, has their values") {
  constexpr Index kTokens = 1100, kOpen = 1080;  // more masked keys than one block contains
  Matrix embeddings = Matrix::Constant(kTokens, 2, 3.0f);
  embeddings.bottomRows(kTokens - kOpen).col(1).setConstant(5.0f);
  Layer layer = model_of(embeddings, -100.0);
  layer.attention.mask = MaskKind::Custom;
  layer.custom_mask = Matrix::Ones(kTokens, kTokens);
  layer.custom_mask.row(7).head(kOpen).setZero();
  const Evaluator evaluator = evaluate(layer, StorageKind::Map);
  REQUIRE(evaluator.storage() == StorageKind::Map);
  REQUIRE(evaluator.rows(Stage::Masked, 0, 0).row(7)[kOpen - 1] == kMinusInfinity);
  const Matrix& context = evaluator.matrix(Stage::Context, 0, 0);
  CHECK_THAT(context(7, 0), WithinRel(3.0f, 1e-5f));
  CHECK_THAT(context(7, 1), WithinRel(5.0f, 1e-5f));
  TileRequest request;
  request.max_rows = request.max_columns = 8;
  CHECK(evaluator.tile(request).values.allFinite());
}

TEST_CASE(
    "large scores: one that overflows to minus infinity is divided by its row's sum, and is not masked") {
  Matrix embeddings(3, 1);
  embeddings << 1e20f, -1e20f, 1.0f;
  Layer layer = model_of(embeddings, 1.0);
  layer.attention.normalization = Normalization::Sum;
  layer.attention.mask = MaskKind::Causal;
  const Evaluator evaluator = evaluate(layer);
  REQUIRE(evaluator.matrix(Stage::Masked, 0, 0)(1, 0) == kMinusInfinity);
  const Matrix& weights = evaluator.matrix(Stage::Weights, 0, 0);
  CHECK(std::isnan(weights(1, 0)));  // the row sum, infinity minus infinity, is NaN
  CHECK(std::isnan(weights(1, 1)));
  const Tile tile = evaluator.tile({});
  CHECK(tile.mark(1, 0) == CellMark::None);
  CHECK(tile.mark(1, 2) == CellMark::Masked);
  CHECK(tile.range.masked == 3);
  const CellTrace trace = evaluator.trace({Stage::Weights, 0, 0, 1, 0});
  CHECK(trace.mark == CellMark::None);
  CHECK(trace.chain.exponential == kMinusInfinity);
  CHECK(trace.chain.row_terms[0] == kMinusInfinity);
  CHECK(trace.chain.row_terms[2] == 0.0f);
  CHECK(std::isnan(trace.chain.row_sum));
  CHECK(std::isnan(trace.value));
}
