// Tiles of the whole matrix, of a part, and pooled, against plain loops.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/support/not_finite.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// The mark that tile.h documents for one cell.
CellMark expected_mark(const Evaluator& evaluator, const TileRequest& r, Index row, Index column) {
  const Layer& layer = evaluator.layer();
  const bool shows_mask = r.stage == Stage::Masked || r.stage == Stage::Weights || r.stage == Stage::Dropped;
  if (shows_mask && !layer.may_attend(row, column, r.sequence, r.head)) return CellMark::Masked;
  if (r.stage != Stage::Dropped || !layer.attention.dropout.active()) return CellMark::None;
  return evaluator.noise(r.sequence, r.head)(row, column) == 0.0f ? CellMark::Dropped : CellMark::None;
}

struct Block {
  Index row_begin, row_end, column_begin, column_end;
};

struct TileCell {
  float value = 0;
  CellMark mark = CellMark::None;
};

TileCell pool(const Evaluator& evaluator, const TileRequest& r, const Block& block) {
  const Matrix& whole = evaluator.matrix(r.stage, r.sequence, r.head);
  Index masked = 0, dropped = 0, cells = 0;
  double sum = 0;
  std::vector<float> open;
  for (Index row = block.row_begin; row < block.row_end; ++row)
    for (Index column = block.column_begin; column < block.column_end; ++column) {
      const CellMark mark = expected_mark(evaluator, r, row, column);
      ++cells;
      masked += mark == CellMark::Masked;
      dropped += mark == CellMark::Dropped;
      if (mark == CellMark::Masked) continue;
      open.push_back(whole(row, column));
      sum += whole(row, column);
    }
  if (masked == cells) return {whole(block.row_begin, block.column_begin), CellMark::Masked};
  TileCell result{open.front(), masked + dropped == cells ? CellMark::Dropped : CellMark::None};
  for (float value : open) {
    const bool larger =
        r.pooling == Pooling::AbsMax ? std::abs(value) > std::abs(result.value) : value > result.value;
    if (larger) result.value = value;
  }
  if (r.pooling == Pooling::Mean) result.value = static_cast<float>(sum / static_cast<double>(open.size()));
  for (float value : open)
    if (std::isnan(value)) result.value = value;
  return result;
}

void check_tile(const Evaluator& evaluator, const TileRequest& asked) {
  const Tile tile = evaluator.tile(asked);
  const Matrix& whole = evaluator.matrix(asked.stage, asked.sequence, asked.head);
  const Index rows = (asked.row_end ? asked.row_end : whole.rows()) - asked.row_begin;
  const Index columns = (asked.column_end ? asked.column_end : whole.cols()) - asked.column_begin;
  REQUIRE(tile.total_rows == whole.rows());
  REQUIRE(tile.total_columns == whole.cols());
  REQUIRE(tile.request.row_end == asked.row_begin + rows);
  REQUIRE(tile.request.column_end == asked.column_begin + columns);
  REQUIRE(tile.values.rows() == std::min(rows, asked.max_rows));
  REQUIRE(tile.values.cols() == std::min(columns, asked.max_columns));
  REQUIRE(tile.marks.size() == static_cast<std::size_t>(tile.values.size()));
  REQUIRE(tile.pooled == (rows > asked.max_rows || columns > asked.max_columns));
  for (Index i = 0; i < tile.values.rows(); ++i)
    for (Index j = 0; j < tile.values.cols(); ++j) {
      const Block block = {asked.row_begin + rows * i / tile.values.rows(),
                           asked.row_begin + rows * (i + 1) / tile.values.rows(),
                           asked.column_begin + columns * j / tile.values.cols(),
                           asked.column_begin + columns * (j + 1) / tile.values.cols()};
      const TileCell expected = pool(evaluator, asked, block);
      INFO("value " << i << ", " << j << ": " << tile.values(i, j) << ", expected " << expected.value);
      // A mean is summed in another order.
      const float size = std::max(std::abs(tile.range.low), std::abs(tile.range.high));
      const float rounding = asked.pooling == Pooling::Mean ? 2e-6f * size : 0;
      REQUIRE((tile.values(i, j) == expected.value ||
               std::abs(tile.values(i, j) - expected.value) <= rounding ||
               (std::isnan(tile.values(i, j)) && std::isnan(expected.value))));
      REQUIRE(tile.mark(i, j) == expected.mark);
    }
}

// T 4, d 2, causal; `dropout` is the probability.
Evaluator four_tokens(double dropout) {
  Layer layer;
  layer.tokens = {"a", "b", "c", "d"};
  layer.embeddings = {Matrix::Zero(4, 2)};
  layer.embeddings[0] << 1, 2, -3, 0.5f, 2, 2, 0, -1;
  layer.attention.d_out = 2;
  layer.attention.mask = MaskKind::Causal;
  layer.attention.dropout = {dropout, true, 7};
  return evaluate(layer);
}

// Naive softmax: the last query's score of 225 overflows.
Evaluator overflowing() {
  Layer layer;
  layer.tokens = {"a", "b", "c", "d", "e", "f"};
  layer.embeddings = {Matrix::Ones(6, 1)};
  layer.embeddings[0](5, 0) = 15.0f;
  layer.attention.d_out = 1;
  layer.attention.scale.kind = ScaleKind::None;
  layer.attention.normalization = Normalization::NaiveSoftmax;
  return evaluate(layer);
}

}  // namespace

TEST_CASE("tile: at lesson size it is the whole matrix, number for number") {
  Dice dice(21);
  for (int i = 0; i < 60; ++i) {
    const Evaluator evaluator = evaluate(dice.chance(0.5) ? random_layer(dice) : random_cross_layer(dice));
    const Layer& layer = evaluator.layer();
    for (const Stage stage : stages_in_use(layer)) {
      TileRequest request;
      request.stage = stage;
      request.sequence = dice.below(layer.sequence_count());
      request.head = dice.below(stage_heads(layer, stage));
      const Tile tile = evaluator.tile(request);
      CHECK(same_numbers(tile.values, evaluator.matrix(stage, request.sequence, request.head)));
      CHECK_FALSE(tile.pooled);
      check_tile(evaluator, request);
    }
  }
}

TEST_CASE("tile: any part of any stage, whole or pooled in each way, is what plain loops give") {
  Dice dice(22);
  for (int i = 0; i < 600; ++i) {
    INFO("tile " << i);
    const Evaluator evaluator = evaluate(dice.chance(0.5) ? random_layer(dice) : random_cross_layer(dice));
    const Layer& layer = evaluator.layer();
    TileRequest r;
    r.stage = dice.pick(stages_in_use(layer));
    r.sequence = dice.below(layer.sequence_count());
    r.head = dice.below(stage_heads(layer, r.stage));
    const Index rows = stage_rows(layer, r.stage);
    r.row_begin = dice.below(rows);
    r.row_end = dice.chance(0.3) ? 0 : dice.between(r.row_begin + 1, rows);
    const Index columns = stage_columns(layer, r.stage);
    r.column_begin = dice.below(columns);
    r.column_end = dice.chance(0.3) ? 0 : dice.between(r.column_begin + 1, columns);
    r.max_rows = dice.between(1, 6);
    r.max_columns = dice.between(1, 6);
    r.pooling = dice.pick<Pooling>({Pooling::Mean, Pooling::Max, Pooling::AbsMax});
    check_tile(evaluator, r);
  }
}

TEST_CASE("tile: the range is that of the whole matrix, counted cell by cell") {
  Dice dice(23);
  for (int i = 0; i < 100; ++i) {
    const Evaluator evaluator = evaluate(dice.chance(0.5) ? random_layer(dice) : random_cross_layer(dice));
    TileRequest r;
    r.stage = dice.pick<Stage>({Stage::Queries, Stage::Masked, Stage::Weights, Stage::Dropped});
    if (!stage_exists(evaluator.layer(), r.stage)) r.stage = Stage::Weights;
    r.row_end = r.column_end = r.max_rows = r.max_columns = 1;
    const ValueRange range = evaluator.tile(r).range;
    const Matrix& whole = evaluator.matrix(r.stage, 0, 0);
    ValueRange expected;
    float low = kInfinity, high = -kInfinity;
    for (Index row = 0; row < whole.rows(); ++row)
      for (Index column = 0; column < whole.cols(); ++column) {
        const CellMark mark = expected_mark(evaluator, r, row, column);
        const float value = whole(row, column);
        if (mark == CellMark::Masked) {
          ++expected.masked;
          continue;
        }
        expected.dropped += mark == CellMark::Dropped;
        expected.nan += std::isnan(value);
        expected.infinite += std::isinf(value);
        if (!std::isfinite(value)) continue;
        ++expected.finite;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    CHECK(range.finite == expected.finite);
    CHECK(range.nan == expected.nan);
    CHECK(range.infinite == expected.infinite);
    CHECK(range.masked == expected.masked);
    CHECK(range.dropped == expected.dropped);
    CHECK(range.empty() == (expected.finite == 0));
    if (range.empty()) continue;
    CHECK(range.low == low);
    CHECK(range.high == high);
  }
}

TEST_CASE("tile: marks tell masked from dropped from very small") {
  const Evaluator evaluator = four_tokens(0.5);
  TileRequest request;
  request.stage = Stage::Dropped;
  const Tile tile = evaluator.tile(request);
  int dropped = 0;
  for (Index row = 0; row < 4; ++row)
    for (Index column = 0; column < 4; ++column) {
      if (column > row) CHECK(tile.mark(row, column) == CellMark::Masked);
      if (tile.mark(row, column) != CellMark::Dropped) continue;
      ++dropped;
      CHECK(tile.values(row, column) == 0.0f);
    }
  CHECK(dropped > 0);
  CHECK(dropped < 10);
  CHECK(tile.range.masked == 6);
  CHECK(tile.range.dropped == dropped);
  request.stage = Stage::Weights;
  CHECK(evaluator.tile(request).range.dropped == 0);
  request.stage = Stage::Scaled;  // the stage before the mask
  CHECK(evaluator.tile(request).range.masked == 0);
  request.stage = Stage::Masked;
  CHECK(evaluator.tile(request).values(0, 1) == -kInfinity);
}

TEST_CASE("tile: a pooled cell is marked only if all its cells are") {
  const Evaluator evaluator = four_tokens(0.0);
  TileRequest request;
  request.stage = Stage::Masked;
  request.max_rows = request.max_columns = 2;
  const Tile tile = evaluator.tile(request);
  CHECK(tile.pooled);
  CHECK(tile.mark(0, 0) == CellMark::None);  // one of its four cells is masked
  CHECK(tile.mark(0, 1) == CellMark::Masked);
  CHECK(tile.values(0, 1) == -kInfinity);
  CHECK(tile.mark(1, 1) == CellMark::None);
}

TEST_CASE("tile: the largest magnitude keeps its sign") {
  TileRequest request;
  request.stage = Stage::Embeddings;
  request.max_rows = request.max_columns = 1;
  request.pooling = Pooling::AbsMax;
  const Evaluator evaluator = four_tokens(0.0);
  CHECK(evaluator.tile(request).values(0, 0) == -3.0f);
  request.pooling = Pooling::Max;
  CHECK(evaluator.tile(request).values(0, 0) == 2.0f);
  request.pooling = Pooling::Mean;
  CHECK(evaluator.tile(request).values(0, 0) == 3.5f / 8.0f);
}

TEST_CASE("tile: NaN is never hidden by pooling, and counted") {
  const Evaluator evaluator = overflowing();
  REQUIRE(std::isnan(evaluator.matrix(Stage::Weights, 0, 0)(5, 5)));
  for (Pooling pooling : {Pooling::Mean, Pooling::Max, Pooling::AbsMax})
    for (Index size : {1, 2, 3, 4}) {
      TileRequest request;
      request.pooling = pooling;
      request.max_rows = request.max_columns = size;
      const Tile tile = evaluator.tile(request);
      CHECK(std::isnan(tile.values(size - 1, size - 1)));
      if (size > 1) CHECK(std::isfinite(tile.values(0, 0)));
      CHECK(tile.range.nan == 1);
      CHECK(std::isfinite(tile.range.high));
    }
}

TEST_CASE("tile: an empty part is empty") {
  TileRequest request;
  request.row_begin = request.row_end = 2;
  const Tile tile = four_tokens(0.0).tile(request);
  CHECK(tile.values.rows() == 0);
  CHECK(tile.marks.empty());
  CHECK(tile.total_rows == 4);
}

TEST_CASE("tile: an address outside the stage is an error that says what is there") {
  const Evaluator evaluator = four_tokens(0.0);
  const auto refused = [&](auto change, const std::string& text) {
    TileRequest request;
    change(request);
    CHECK_THROWS_WITH(evaluator.tile(request), ContainsSubstring(text));
    CHECK_THROWS_AS(evaluator.tile(request), Error);
  };
  refused([](TileRequest& r) { r.sequence = 1; }, "no sequence 1");
  refused([](TileRequest& r) { r.sequence = -1; }, "no sequence -1");
  refused([](TileRequest& r) { r.head = 1; }, "1 head");
  refused([](TileRequest& r) { r.head = -1; }, "head -1");
  refused([](TileRequest& r) { r.row_end = 5; }, "rows 0 to 5 lie outside 0 to 4");
  refused([](TileRequest& r) { r.row_begin = -1; }, "rows -1");
  refused([](TileRequest& r) { r.row_begin = 5; }, "rows 5 to 4");
  refused([](TileRequest& r) { r.column_end = 9; }, "columns 0 to 9");
  refused(
      [](TileRequest& r) {
        r.stage = Stage::Context;
        r.column_end = 3;
      },
      "context: columns 0 to 3 lie outside 0 to 2");
  CHECK_THROWS_AS(evaluator.noise(0, 1), Error);
  CHECK_THROWS_AS(evaluator.matrix(Stage::Concat, 0, 1), Error);
}

TEST_CASE(
    "tile: the range follows every refresh, and is that of the whole matrix whichever part is asked for") {
  Dice dice(77);
  Layer layer = random_layer(dice);
  while (layer.token_count() < 3)
    layer = random_layer(dice);
  Evaluator evaluator = evaluate(layer);
  TileRequest part;
  part.stage = Stage::Scores;
  part.row_end = part.column_end = 1;
  TileRequest whole = part;
  whole.row_end = whole.column_end = 0;
  CHECK(evaluator.tile(part).range.low == evaluator.tile(whole).range.low);
  evaluator.apply(CellsEdit{{InputKind::Embeddings}, 0, 0, Matrix::Constant(1, 1, 50.0f)});
  evaluator.refresh();
  const Evaluator fresh = evaluate(evaluator.layer());
  CHECK(evaluator.tile(part).range.high == fresh.tile(whole).range.high);
  CHECK(evaluator.tile(part).range.low == fresh.tile(whole).range.low);
}
