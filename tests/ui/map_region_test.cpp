// The visible part of a large matrix: zooming at a point, panning and following, in whole cells.
#include "app/ui/context/map_region.h"

#include "app/ui/context/ui_context.h"

#include "tests/support/catch.h"

using namespace headlight;

namespace {

constexpr MapShape kThousand = {1024, 1024}, kLong = {32768, 32768};

// The row or column at a relative position (0 to 1) in the region.
Index row_at(const CellBlock& region, double share) {
  return region.row + static_cast<Index>(share * static_cast<double>(region.rows()));
}
Index column_at(const CellBlock& region, double share) {
  return region.column + static_cast<Index>(share * static_cast<double>(region.columns()));
}

}  // namespace

TEST_CASE("map region: zooming keeps the cell at its place, step by step, in and out") {
  for (const MapShape shape : {kThousand, kLong})
    for (const MapPlace place : {MapPlace{0.31, 0.72}, MapPlace{0.5, 0.5}, MapPlace{0.9, 0.13}}) {
      CellBlock region = whole_of(shape);
      const Index row = row_at(region, place.row), column = column_at(region, place.column);
      while (region.rows() > kLeastCells) {
        region = zoomed(region, shape, 1.25, place);
        REQUIRE(row_at(region, place.row) == row);
        REQUIRE(column_at(region, place.column) == column);
      }
      CHECK(region.rows() == kLeastCells);
      CHECK(region.columns() == kLeastCells);
    }
}

TEST_CASE("map region: zooming out ends with everything, wherever one was") {
  CellBlock region = {1000, 1008, 3, 11};
  for (int step = 0; step < 40; ++step) {
    region = zoomed(region, kThousand, 1 / 1.25, {0.5, 0.5});
    CHECK(region.row >= 0);
    CHECK(region.row_end <= 1024);
    CHECK(region.column >= 0);
    CHECK(region.column_end <= 1024);
  }
  CHECK(region == whole_of(kThousand));
}

TEST_CASE("map region: zooming out at the matrix's edge keeps to the matrix") {
  const CellBlock corner = {0, 10, 1014, 1024};
  CHECK(zoomed(corner, kThousand, 0.5, {0.9, 0.1}) == CellBlock{0, 20, 1004, 1024});
}

TEST_CASE("map region: a short side stays whole") {
  const MapShape shape = {1024, 6};
  CHECK(zoomed(whole_of(shape), shape, 4, {0, 0.9}) == CellBlock{0, 256, 0, 6});
  CHECK_FALSE(can_zoom({12, 12}));
  CHECK(can_zoom({6, 13}));
}

TEST_CASE("map region: panning stops at the ends and keeps the size") {
  const CellBlock region = {100, 150, 200, 250};
  CHECK(panned(region, kThousand, 7, -30) == CellBlock{107, 157, 170, 220});
  CHECK(panned(region, kThousand, -1000, 5000) == CellBlock{0, 50, 974, 1024});
}

TEST_CASE("map region: following moves no farther than it takes, with a cell to spare") {
  const CellBlock region = {100, 150, 200, 250};
  CHECK(following(region, kThousand, 120, 220) == region);
  CHECK(following(region, kThousand, 150, 220) == CellBlock{102, 152, 200, 250});
  CHECK(following(region, kThousand, 99, 220) == CellBlock{98, 148, 200, 250});
  CHECK(following(region, kThousand, 0, 1023) == CellBlock{0, 50, 974, 1024});
  CHECK(following(region, kThousand, -1, 900) == CellBlock{100, 150, 852, 902});
  CHECK(following({4, 8, 4, 8}, kThousand, 8, 3) == CellBlock{6, 10, 2, 6});
}

TEST_CASE("map region: what is in sight fits a matrix that has become smaller") {
  CHECK(fitted({900, 1000, 10, 110}, {500, 60}) == CellBlock{400, 500, 0, 60});
  CHECK(fitted({}, {500, 60}) == CellBlock{0, 500, 0, 60});
}

TEST_CASE("map region: a cell comes to the middle, as far as the ends allow") {
  const CellBlock whole = whole_of(kThousand);
  CHECK(around(whole, kThousand, 500, 300, 8) == CellBlock{496, 504, 296, 304});
  CHECK(around(whole, kThousand, 1, 1023, 8) == CellBlock{0, 8, 1016, 1024});
  CHECK(around({100, 200, 0, 1024}, kThousand, -1, 512, 8) == CellBlock{146, 154, 508, 516});
}

TEST_CASE("map region: every stage has a place for what is in sight of it") {
  const ViewState view;
  for (std::size_t stage = 0; stage < kStageCount; ++stage)
    CHECK(static_cast<std::size_t>(stage_info(static_cast<Stage>(stage)).columns) <
          view.picture.regions.size());
}
