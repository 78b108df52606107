// Each weight times the length of what its key's value adds to the output: against plain loops, and against
// the same of a whole model.
#include <cmath>

#include "engine/analysis/stream_norms.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/network/layer_at.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The slow twin: |v W_o| of one key, of the head's rows of W_o.
double length_of(const Evaluator& evaluator, Index head, Index key) {
  const Layer& model = evaluator.layer();
  const Matrix& values = evaluator.matrix(Stage::Values, 0, model.kv_head_of(head));
  const bool projected = model.uses(Parameter::Output);
  double square = 0;
  for (Index column = 0; column < (projected ? model.d_out() : model.d_v()); ++column) {
    double sum = projected ? 0 : static_cast<double>(values(key, column));
    for (Index i = 0; projected && i < model.d_v(); ++i) {
      const Matrix& w = model.weights.matrix(Parameter::Output);
      const Index row = head * model.d_v() + i;
      sum +=
          static_cast<double>(values(key, i)) *
          static_cast<double>(model.weights.layout == WeightLayout::InOut ? w(row, column) : w(column, row));
    }
    square += sum * sum;
  }
  return std::sqrt(square);
}

}  // namespace

TEST_CASE("value-weighted: random models, as plain loops have it, in the matrix and in a tile") {
  Dice dice(38);
  int seen = 0;
  for (int round = 0; round < 60; ++round) {
    Layer layer = random_layer(dice);
    layer.attention.normalization = Normalization::Softmax;
    const Evaluator evaluator = evaluate(layer, round % 2 == 0 ? StorageKind::Stages : StorageKind::Scores);
    if (!stage_exists(layer, Stage::Values)) continue;
    for (const Stage stage : {Stage::Weights, Stage::Dropped}) {
      if (!stage_exists(layer, stage)) continue;
      const Index head = dice.between(0, stage_heads(layer, stage) - 1);
      INFO(round << " " << stage_info(stage).name);
      const Matrix found = evaluator.value_weighted(stage, 0, head);
      const Matrix weights = evaluator.matrix(stage, 0, head);
      REQUIRE(found.rows() == weights.rows());
      REQUIRE(found.cols() == weights.cols());
      for (Index row = 0; row < found.rows(); ++row)
        for (Index key = 0; key < found.cols(); ++key) {
          const double expected = static_cast<double>(weights(row, key)) * length_of(evaluator, head, key);
          if (!std::isfinite(expected)) continue;
          ++seen;
          CHECK_THAT(found(row, key), WithinAbs(expected, 1e-4 * (1 + std::abs(expected))));
        }
      TileRequest request;
      request.stage = stage;
      request.head = head;
      request.content = TileContent::ValueWeighted;
      const Tile tile = evaluator.tile(request);
      if (!tile.pooled && found.allFinite()) CHECK(tile.values == found);
      CHECK(tile.mark(0, 0) == evaluator.mark(stage, 0, head, 0, 0));
      const Index last = found.rows() - 1;
      const RowSummary row = evaluator.row({stage, 0, head, last, found.cols(), true});
      for (Index key = 0; key < found.cols(); ++key)
        if (row.marks[static_cast<std::size_t>(key)] == CellMark::None && std::isfinite(found(last, key)))
          CHECK(row.values[static_cast<std::size_t>(key)] == found(last, key));
      CHECK(row.entropy_bits == 0);
    }
  }
  CHECK(seen > 300);
}

TEST_CASE("value-weighted: only of weights, and of a layer that has values") {
  Dice dice(39);
  const Evaluator evaluator = evaluate(random_layer(dice));
  CHECK_THROWS_AS(evaluator.value_weighted(Stage::Scores, 0, 0), Error);
  CHECK_THROWS_AS(evaluator.value_weighted(Stage::Weights, 0, 99), Error);
  TileRequest request;
  request.stage = Stage::Output;
  request.content = TileContent::ValueWeighted;
  CHECK_THROWS_AS(evaluator.tile(request), Error);
}

TEST_CASE("value-weighted: a layer of a whole model has what the question about norms answers") {
  for (const std::string family : {"gpt2", "llama3"}) {
    NetworkPass pass = golden_pass(family);
    LayerPlace place;
    place.layer = 1;
    const Evaluator evaluator = evaluate(layer_at(pass, place));
    for (const Index head : {Index{0}, Index{1}}) {
      INFO(family << " head " << head);
      const Matrix whole = weighted_value_norms(pass, 1, head);
      CHECK(largest_difference(evaluator.value_weighted(Stage::Weights, 0, head), whole) < kRounding);
    }
  }
}
