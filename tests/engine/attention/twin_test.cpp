// The evaluator against plain_attention.h: every stage of random models of every kind.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/plain_attention.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct Tally {
  std::size_t compared = 0, undecidable = 0;
};

void compare_matrix(const Matrix& got, const PlainMatrix& expected, Tally& tally) {
  REQUIRE(got.rows() == static_cast<Index>(expected.size()));
  REQUIRE(got.cols() == static_cast<Index>(expected[0].size()));
  for (Index r = 0; r < got.rows(); ++r)
    for (Index c = 0; c < got.cols(); ++c) {
      const Bounded& cell = expected[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      ++(std::isfinite(cell.error) ? tally.compared : tally.undecidable);
      if (agrees(got(r, c), cell)) continue;
      FAIL("row " << r << ", column " << c << ": " << got(r, c) << ", the twin has " << cell.value
                  << " with an error of " << cell.error);
    }
}

void compare_stages(const Evaluator& evaluator, const PlainForward& expected, Tally& tally) {
  const Layer& layer = evaluator.layer();
  for (const StageInfo& info : stage_table()) {
    INFO("stage " << std::string(info.name));
    const Index heads = stage_heads(layer, info.stage);
    const Index count = stage_exists(layer, info.stage) ? layer.sequence_count() * heads : 0;
    REQUIRE(static_cast<Index>(expected.of(info.stage).size()) == count);
    if (count == 0) {
      CHECK_THROWS_AS(evaluator.matrix(info.stage, 0, 0), Error);
      continue;
    }
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (Index h = 0; h < heads; ++h) {
        INFO("sequence " << b << ", head " << h);
        compare_matrix(evaluator.matrix(info.stage, b, h),
                       expected.of(info.stage)[static_cast<std::size_t>(b * heads + h)], tally);
      }
  }
}

using MakeModel = Layer (*)(Dice& dice);
struct Bounds {
  std::size_t least_compared = 0;     // more cells than this must be compared
  std::size_t undecidable_share = 1;  // fewer than one cell in this many may be without a bound
};

void compare_models(std::uint32_t seed, int count, MakeModel make, const Bounds& bounds) {
  Dice dice(seed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    INFO("model " << i);
    const Layer layer = make(dice);
    compare_stages(evaluate(layer), plain_forward(layer), tally);
  }
  CHECK(tally.compared > bounds.least_compared);
  CHECK(tally.undecidable < tally.compared / bounds.undecidable_share);
}

}  // namespace

TEST_CASE("twin: what is behind numbers that are overwritten follows them") {
  compare_models(27, 400, random_overwritten_layer, {100000, 20});
}

TEST_CASE("overwritten weights are masked nowhere, and all others as they were") {
  Dice dice(4);
  Layer layer = random_layer(dice);
  layer.attention.mask = MaskKind::Causal;
  while (layer.token_count() < 3 || layer.attention.normalization != Normalization::Softmax) {
    layer = random_layer(dice);
    layer.attention.mask = MaskKind::Causal;
  }
  layer.overwritten = {{Stage::Weights, 0, 0, 0, 1, Matrix::Constant(1, 1, 0.5f)}};
  const Evaluator evaluator = evaluate(layer);
  TileRequest request;
  const Tile tile = evaluator.tile(request);
  CHECK(tile.mark(0, 1) != CellMark::Masked);
  CHECK(tile.mark(0, 2) == CellMark::Masked);
  CHECK(tile.mark(1, 2) == CellMark::Masked);
  CHECK(tile.values(0, 1) == 0.5f);
  CHECK(evaluator.mark(Stage::Masked, 0, 0, 0, 1) == CellMark::Masked);
}

TEST_CASE("overwritten rows stand where they belong among very many") {
  Dice dice(6);
  constexpr Index kTokens = 300;  // computed in several blocks
  Layer layer = random_layer(dice);
  layer.tokens.assign(kTokens, "x");
  layer.embeddings = {dice.matrix(kTokens, 4)};
  layer.attention = {};
  layer.attention.d_out = 4;
  layer.weights = {};
  layer.custom_mask = {};
  const Matrix own = dice.matrix(200, 3).cwiseAbs();
  layer.overwritten = {{Stage::Weights, 0, 0, 50, 7, own}};
  const Evaluator evaluator = evaluate(layer);
  const Matrix& weights = evaluator.matrix(Stage::Weights, 0, 0);
  CHECK(weights.block(50, 7, 200, 3) == own);
  layer.overwritten.clear();
  const Evaluator plain = evaluate(layer, StorageKind::Stages);
  CHECK(weights.topRows(50) == plain.matrix(Stage::Weights, 0, 0).topRows(50));
  CHECK(weights.bottomRows(50) == plain.matrix(Stage::Weights, 0, 0).bottomRows(50));
}

TEST_CASE("overwritten numbers stay through edits, and are told where they cannot be") {
  Dice dice(3);
  Layer layer = random_overwritten_layer(dice);
  while (layer.overwritten.empty() || layer.embeddings.empty())
    layer = random_overwritten_layer(dice);
  Evaluator edited(layer);
  edited.refresh();
  const Matrix row = dice.matrix(1, layer.d_in());
  edited.apply(CellsEdit{{InputKind::Embeddings, 0}, 0, 0, row});
  edited.refresh();
  Tally tally;
  compare_stages(edited, plain_forward(edited.layer()), tally);
  const Overwritten block = layer.overwritten.front();
  const auto refused = [&](const Overwritten& wrong) {
    layer.overwritten = {wrong};
    CHECK_THROWS_AS(evaluate(layer), Error);
  };
  Overwritten wrong = block;
  wrong.row = stage_rows(layer, block.stage);
  refused(wrong);
  wrong = block;
  wrong.head = stage_heads(layer, block.stage);
  refused(wrong);
  wrong = block;
  wrong.stage = Stage::Masked;
  refused(wrong);
  wrong = block;
  wrong.values(0, 0) = std::numeric_limits<float>::quiet_NaN();
  refused(wrong);
}

TEST_CASE("twin: every stage of 400 random models is what plain loops give") {
  compare_models(2024, 400, random_layer, {200000, 50});
}

TEST_CASE("twin: every stage of 1000 random layers of real models is what plain loops give") {
  compare_models(14, 1000, random_cross_layer, {500000, 20});
}

TEST_CASE("twin: sinks take part in the softmax, and factors in the rotation") {
  compare_models(15, 400, random_sink_layer, {100000, 20});
}

TEST_CASE("twin: a tile of weights says what the sink takes of each of its rows, whole or pooled") {
  Dice dice(16);
  std::size_t seen = 0;
  for (int i = 0; i < 100; ++i) {
    const Layer layer = random_sink_layer(dice);
    const Evaluator evaluator = evaluate(layer);
    TileRequest request;
    request.row_begin = layer.token_count() / 3;
    request.row_end = layer.token_count();
    request.max_rows = i % 2 == 0 ? 256 : 2;
    const Tile tile = evaluator.tile(request);
    const Matrix& weights = evaluator.matrix(Stage::Weights, 0, 0);
    if (layer.attention.sinks.empty()) {
      CHECK(tile.sink_weights.empty());
      continue;
    }
    REQUIRE(static_cast<Index>(tile.sink_weights.size()) == tile.values.rows());
    float most = 0, told = 0;
    for (Index row = request.row_begin; row < request.row_end; ++row)
      most = std::max(most, 1 - weights.row(row).sum());
    for (const float weight : tile.sink_weights)
      told = std::max(told, weight);
    CHECK_THAT(told, WithinAbs(most, 1e-6f));
    for (Index row = 0; !tile.pooled && row < tile.values.rows(); ++row)
      CHECK_THAT(tile.sink_weights[static_cast<std::size_t>(row)],
                 WithinAbs(1 - weights.row(request.row_begin + row).sum(), 1e-6f));
    ++seen;
  }
  CHECK(seen > 30);
}

TEST_CASE("twin: dropout draws the same cells and multiplies by the same number") {
  Dice dice(77);
  int with_noise = 0;
  for (int i = 0; i < 200; ++i) {
    INFO("model " << i);
    const Layer layer = random_layer(dice);
    const Evaluator evaluator = evaluate(layer);
    const auto expected = plain_noise(layer);
    with_noise += expected.empty() ? 0 : 1;
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (Index h = 0; h < layer.head_count(); ++h) {
        const Matrix& noise = evaluator.noise(b, h);
        if (expected.empty()) {
          REQUIRE(noise.size() == 0);
          continue;
        }
        const auto& plain = expected[static_cast<std::size_t>(b * layer.head_count() + h)];
        for (Index r = 0; r < noise.rows(); ++r)
          for (Index c = 0; c < noise.cols(); ++c)
            REQUIRE(noise(r, c) == plain[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
      }
  }
  CHECK(with_noise > 50);
}

TEST_CASE("twin: a wrong number would be seen") {
  Dice dice(5);
  Layer layer = random_layer(dice);
  while (layer.token_count() < 2 || layer.attention.normalization != Normalization::Softmax ||
         layer.attention.mask == MaskKind::Custom)
    layer = random_layer(dice);
  const PlainForward expected = plain_forward(layer);
  const Matrix right = evaluate(layer).matrix(Stage::Weights, 0, 0);
  const Bounded& cell = expected.of(Stage::Weights)[0][1][0];
  CHECK(agrees(right(1, 0), cell));
  CHECK_FALSE(agrees(right(1, 0) * 1.0001f, cell));
  CHECK_FALSE(agrees(right(1, 0) + 1e-5f, cell));
  CHECK_FALSE(agrees(std::numeric_limits<float>::quiet_NaN(), cell));
}
