#include "engine/views/matrix_tile.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace headlight;

TEST_CASE("matrix tile: a small matrix comes whole, with its range") {
  Matrix matrix(2, 2);
  matrix << 1, -3, std::nanf(""), 2;
  const Tile tile = matrix_tile(matrix, 8, 8);
  CHECK_FALSE(tile.pooled);
  CHECK(tile.values(0, 1) == -3.0f);
  CHECK(tile.range.low == -3.0f);
  CHECK(tile.range.high == 2.0f);
  CHECK(tile.range.nan == 1);
}

TEST_CASE("matrix tile: a large one keeps what is largest in size, and shows NaN") {
  Matrix matrix = Matrix::Constant(100, 60, 0.5f);
  matrix(10, 7) = -4;
  matrix(99, 59) = std::nanf("");
  const Tile tile = matrix_tile(matrix, 10, 6);
  CHECK(tile.pooled);
  CHECK(tile.values.rows() == 10);
  CHECK(tile.values.cols() == 6);
  CHECK(tile.values(1, 0) == -4.0f);
  CHECK(tile.values(0, 0) == 0.5f);
  CHECK(std::isnan(tile.values(9, 5)));
}
