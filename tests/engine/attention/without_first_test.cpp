// Weights without the first key, each row summing to 1 again: against plain loops.
#include <cmath>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("without the first key: random models, as plain loops have it, in the matrix and in a tile") {
  Dice dice(57);
  int seen = 0, empty = 0;
  for (int round = 0; round < 60; ++round) {
    const Layer layer = random_layer(dice);
    if (layer.key_count() < 2) continue;
    const Evaluator evaluator = evaluate(layer, round % 2 == 0 ? StorageKind::Stages : StorageKind::Scores);
    const Index head = dice.between(0, layer.head_count() - 1);
    INFO(round);
    const Matrix found = evaluator.without_first(Stage::Weights, 0, head);
    const Matrix weights = evaluator.matrix(Stage::Weights, 0, head);
    REQUIRE(found.rows() == weights.rows());
    REQUIRE(found.cols() == weights.cols());
    for (Index row = 0; row < found.rows(); ++row) {
      double sum = 0;
      for (Index key = 1; key < found.cols(); ++key)
        sum += static_cast<double>(weights(row, key));
      CHECK(found(row, 0) == 0);
      empty += sum == 0 ? 1 : 0;
      for (Index key = 1; key < found.cols(); ++key) {
        const double expected = sum == 0 ? 0 : static_cast<double>(weights(row, key)) / sum;
        if (!std::isfinite(expected)) continue;
        ++seen;
        CHECK_THAT(found(row, key), WithinAbs(expected, 1e-6 * (1 + std::abs(expected))));
      }
    }
    TileRequest request;
    request.head = head;
    request.content = TileContent::WithoutFirst;
    const Tile tile = evaluator.tile(request);
    if (!tile.pooled && found.allFinite()) CHECK(tile.values == found);
    for (Index row = 0; row < tile.values.rows(); ++row) {
      CHECK(tile.mark(row, 0) == CellMark::Masked);
      if (!tile.pooled) CHECK(tile.mark(row, 1) == evaluator.mark(Stage::Weights, 0, head, row, 1));
    }
  }
  CHECK(seen > 300);
  CHECK(empty > 0);
}

TEST_CASE("without the first key: only of weights, and of more than one key") {
  Dice dice(58);
  Layer layer = random_layer(dice);
  while (layer.key_count() < 2)
    layer = random_layer(dice);
  const Evaluator evaluator = evaluate(layer);
  CHECK_THROWS_AS(evaluator.without_first(Stage::Scores, 0, 0), Error);
  CHECK_THROWS_AS(evaluator.without_first(Stage::Weights, 0, 99), Error);
  TileRequest request;
  request.stage = Stage::Dropped;
  request.content = TileContent::WithoutFirst;
  CHECK_THROWS_AS(evaluator.tile(request), Error);
}
