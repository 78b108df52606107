// The quick way to a tile against the one that looks at every cell and its mark.
#include "engine/attention/plain_tile.h"

#include <limits>

#include "engine/attention/tile_builder.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

void check_same(const Tile& quick, const Tile& slow) {
  CHECK(quick.request == slow.request);
  CHECK(quick.total_rows == slow.total_rows);
  CHECK(quick.total_columns == slow.total_columns);
  CHECK(quick.pooled == slow.pooled);
  CHECK(same_numbers(quick.values, slow.values));
  CHECK(quick.marks == slow.marks);
  CHECK(quick.range.low == slow.range.low);
  CHECK(quick.range.high == slow.range.high);
  CHECK(quick.range.finite == slow.range.finite);
  CHECK(quick.range.masked == slow.range.masked);
}

TileRequest random_request(Dice& dice, const Matrix& whole) {
  TileRequest request;
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

TEST_CASE("plain tile: the same as looking at every cell, with and without a causal mask") {
  Dice dice(31);
  for (int round = 0; round < 300; ++round) {
    const bool causal = dice.chance(0.5);
    const Index rows = dice.between(1, 70), columns = causal ? rows : dice.between(1, 70);
    Matrix whole = dice.matrix(rows, columns, 3.0);
    if (causal)
      for (Index r = 0; r < rows; ++r)
        whole.row(r).tail(rows - r - 1).setConstant(-std::numeric_limits<float>::infinity());
    const auto open = [&](Index row) { return causal ? row + 1 : columns; };
    const TileRequest request = random_request(dice, whole);
    const auto quick = plain_tile(request, whole, open);
    REQUIRE(quick.has_value());
    check_same(*quick, build_tile(request, whole, [&](Index row, Index column) {
      return column < open(row) ? CellMark::None : CellMark::Masked;
    }));
  }
}

TEST_CASE("plain tile: numbers that are not finite and other poolings are left to the slow way") {
  Dice dice(32);
  const auto all = [](Index) { return Index{8}; };
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    Matrix whole = dice.matrix(8, 8);
    whole(3, 7) = bad;
    CHECK_FALSE(plain_tile({}, whole, all).has_value());
    CHECK(plain_tile({}, whole, [](Index) { return Index{7}; }).has_value());  // it is masked
  }
  TileRequest mean;
  mean.pooling = Pooling::Mean;
  CHECK_FALSE(plain_tile(mean, dice.matrix(8, 8), all).has_value());
}
