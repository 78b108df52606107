// The fast tile computation against the one that checks every cell and its mark.
#include "engine/views/plain_tile.h"

#include <limits>

#include "engine/views/tile_builder.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"
#include "tests/support/stage_errors.h"

using namespace headlight;
using namespace headlight_test;

namespace {

void check_same(const Tile& quick, const Tile& slow) {
  CHECK(quick.request == slow.request);
  CHECK(quick.total_rows == slow.total_rows);
  CHECK(quick.total_columns == slow.total_columns);
  CHECK(quick.pooled == slow.pooled);
  if (quick.request.pooling == Pooling::Mean)
    CHECK(error_of(quick.values, slow.values) < 1e-5);
  else
    CHECK(same_numbers(quick.values, slow.values));
  CHECK(quick.marks == slow.marks);
  CHECK(quick.range.low == slow.range.low);
  CHECK(quick.range.high == slow.range.high);
  CHECK(quick.range.finite == slow.range.finite);
  CHECK(quick.range.masked == slow.range.masked);
  CHECK(quick.range.dropped == slow.range.dropped);
}

TileRequest random_request(Dice& dice, const Matrix& whole) {
  TileRequest request;
  request.pooling = dice.pick<Pooling>({Pooling::Max, Pooling::AbsMax, Pooling::Mean});
  request.max_rows = dice.between(1, 40);
  request.max_columns = dice.between(1, 40);
  if (dice.chance(0.5)) {
    request.row_begin = dice.below(whole.rows());
    request.row_end = dice.between(request.row_begin + 1, whole.rows());
    request.column_begin = dice.below(whole.cols());
    request.column_end = dice.between(request.column_begin + 1, whole.cols());
  }
  return request;
}

}  // namespace

TEST_CASE("plain tile: the same as looking at every cell, under all masks and with dropout") {
  Dice dice(31);
  for (int round = 0; round < 400; ++round) {
    const Index rows = dice.between(1, 70), columns = dice.chance(0.5) ? rows : dice.between(1, 70);
    Matrix whole = dice.matrix(rows, columns, 3.0);
    const Matrix allowed = dice.matrix(rows, columns).unaryExpr([](float x) { return x > 0 ? 1.0f : 0.0f; });
    const Matrix noise = dice.matrix(rows, columns).unaryExpr([](float x) { return x > 0.2f ? 2.0f : 0.0f; });
    MarkRule rule;
    KeyBand& band = rule.open.band;
    if (dice.chance(0.5)) band.to = dice.between(-5, 20);
    if (dice.chance(0.3)) band.from = dice.between(-30, 5);
    if (dice.chance(0.2)) band.keys = dice.between(0, columns);
    if (dice.chance(0.5)) rule.open.allowed = &allowed;
    if (dice.chance(0.5)) rule.noise = &noise;
    const auto mark_at = [&](Index row, Index column) { return mark_of(rule, row, column); };
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; ++c) {
        if (mark_at(r, c) == CellMark::Masked) whole(r, c) = -std::numeric_limits<float>::infinity();
        if (mark_at(r, c) == CellMark::Dropped) whole(r, c) = 0.0f;
      }
    const TileRequest request = random_request(dice, whole);
    const auto quick = plain_tile(request, whole, rule);
    REQUIRE(quick.has_value());
    check_same(*quick, build_tile(request, whole, mark_at));
  }
}

TEST_CASE("plain tile: numbers that are not finite and other requests are left to the slow way") {
  Dice dice(32);
  Matrix allowed = Matrix::Ones(8, 8);
  allowed(3, 7) = 0.0f;
  MarkRule masked, causal;
  masked.open.allowed = &allowed;
  causal.open.band.to = 1;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    Matrix whole = dice.matrix(8, 8);
    whole(3, 7) = bad;
    CHECK_FALSE(plain_tile({}, whole, {}).has_value());
    CHECK(plain_tile({}, whole, masked).has_value());
    CHECK(plain_tile({}, whole, causal).has_value());
  }
  TileRequest spread;
  spread.spread = true;
  CHECK_FALSE(plain_tile(spread, dice.matrix(8, 8), {}).has_value());
  // Finite numbers whose sum overflows are counted as finite.
  const Matrix huge = Matrix::Constant(8, 8, std::numeric_limits<float>::max());
  CHECK(marked_tile({}, huge, {}).range.finite == 64);
}
