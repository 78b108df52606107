// The glow of changed cells, and its duration.
#include "app/ui/picture/change_glow.h"

#include <limits>

#include "tests/support/catch.h"

using namespace headlight;
using headlight_test::WithinAbs;

namespace {

Tile tile_of(const Matrix& values) {
  Tile tile;
  tile.request.row_end = tile.total_rows = values.rows();
  tile.request.column_end = tile.total_columns = values.cols();
  tile.values = values;
  tile.marks.assign(static_cast<std::size_t>(values.size()), CellMark::None);
  return tile;
}

}  // namespace

TEST_CASE("glow: the cells whose value or mark changed, fading within the time") {
  Matrix values = Matrix::Constant(2, 3, 0.5f);
  values(0, 0) = std::numeric_limits<float>::quiet_NaN();
  const Tile before = tile_of(values);
  values(1, 2) = 0.25f;
  Tile after = tile_of(values);
  after.marks[1] = CellMark::Masked;
  ChangeGlow glow;
  CHECK(glow.strength(0) == 0);
  glow.note(before, after, 10);
  REQUIRE(glow.cells().size() == 2);
  CHECK(glow.cells()[0].column == 1);
  CHECK(glow.cells()[1].row == 1);
  CHECK(glow.cells()[1].column == 2);
  CHECK(glow.strength(10) == 1);
  CHECK_THAT(glow.strength(10 + kGlowSeconds / 2), WithinAbs(0.5, 1e-9));
  CHECK(glow.strength(10 + kGlowSeconds) == 0);
}

TEST_CASE("glow: nothing glows in another part, another shape or a picture of pooled cells") {
  const Tile before = tile_of(Matrix::Zero(2, 2));
  ChangeGlow glow;
  glow.note(before, tile_of(Matrix::Ones(3, 2)), 0);
  CHECK(glow.cells().empty());
  Tile pooled = tile_of(Matrix::Ones(2, 2));
  pooled.pooled = true;
  glow.note(before, pooled, 0);
  CHECK(glow.cells().empty());
  Tile elsewhere = tile_of(Matrix::Ones(2, 2));
  elsewhere.request.head = 1;
  glow.note(before, elsewhere, 0);
  CHECK(glow.cells().empty());
}
