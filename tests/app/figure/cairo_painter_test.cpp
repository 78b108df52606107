#include "app/figure/paint/cairo_painter.h"

#include <cmath>
#include <filesystem>

#include "app/export/stage_picture.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/app/figure/figure_support.h"
#include "tests/app/figure/pixels.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

using namespace headlight_test;

namespace {

HeatmapFigure bare_figure(const Tile& tile) {
  HeatmapFigure figure = stage_figure(tile, {}, 1, "");
  figure.decimals = -1;
  return figure;
}

PlanLimits cells_of(double cell_px) {
  PlanLimits limits;
  limits.cell_px = cell_px;
  return limits;
}

int scaled(double at, double scale) {
  return static_cast<int>(std::lround(at * scale));
}

}  // namespace

TEST_CASE("every pixel of a cell has the cell's colour, at every scale") {
  const HeatmapFigure figure = bare_figure(ramp_tile(Stage::Weights, 3, 4, 0, 1));
  const Colormap map = Colormap::of(figure.colormap, FigureStyle::dark().neutral);
  for (const double cell_px : {1.0, 7.0, 12.0})
    for (const double scale : {1.0, 1.5, 2.0, 3.0}) {
      const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), cells_of(cell_px), pango_measure());
      const Pixels pixels(png_bytes(plan, scale));
      CHECK(pixels.width() == static_cast<int>(std::ceil(plan.width * scale)));
      for (Index r = 0; r < 3; ++r)
        for (Index c = 0; c < 4; ++c) {
          const Color expected = map.at(figure.tile->values(r, c));
          const Rect cell = plan.cell_rect(r, c);
          for (int y = scaled(cell.y, scale); y < scaled(cell.bottom(), scale); ++y)
            for (int x = scaled(cell.x, scale); x < scaled(cell.right(), scale); ++x)
              REQUIRE(pixels.at(x, y) == expected);
        }
    }
}

TEST_CASE("a masked cell is the panel's tone with lines at 45 degrees, a dropped one an outlined square") {
  Tile tile = ramp_tile(Stage::Dropped, 2, 2, 0.5f, 1);
  tile.marks[1] = CellMark::Masked;
  tile.marks[2] = CellMark::Dropped;
  const FigureStyle style = FigureStyle::light();
  const HeatmapPlan plan = plan_heatmap(bare_figure(tile), style, cells_of(24), pango_measure());
  const Pixels pixels(png_bytes(plan, 1));
  const auto corner = [&](Index r, Index c) {
    const Rect cell = plan.cell_rect(r, c);
    return std::pair(static_cast<int>(cell.x), static_cast<int>(cell.y));
  };
  const auto [masked_x, masked_y] = corner(0, 1);
  int lines = 0;
  for (int y = 2; y < 22; ++y)
    for (int x = 1; x < 21; ++x) {
      const Color here = pixels.at(masked_x + x, masked_y + y),
                  next = pixels.at(masked_x + x + 1, masked_y + y - 1);
      CHECK((std::abs(here.r - next.r) <= 1 && std::abs(here.g - next.g) <= 1));
      CHECK(contrast(here, style.neutral) < 1.3);
      lines += here == style.neutral ? 0 : 1;
    }
  CHECK(lines > 400 * 0.1);
  CHECK(lines < 400 * 0.5);
  const auto [dropped_x, dropped_y] = corner(1, 0);
  CHECK(pixels.at(dropped_x + 12, dropped_y + 12) == style.neutral);  // empty
  CHECK(pixels.at(dropped_x + 6, dropped_y + 12) != style.neutral);   // its outline
  CHECK(pixels.at(dropped_x + 2, dropped_y + 12) == style.neutral);
}

TEST_CASE("the same plan gives the same bytes") {
  const HeatmapFigure figure = stage_figure(ramp_tile(Stage::Scores, 6, 6, -1, 1), tokens(6), 2, "Twice");
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), cells_of(60), pango_measure());
  CHECK(png_bytes(plan, 2) == png_bytes(plan, 2));
}

TEST_CASE("measured widths grow with the letters and are the same at every call") {
  const MeasureText measure = pango_measure();
  const double once = measure("journey", 12, FontFace::Text).width;
  CHECK(once > 30);
  CHECK(measure("journey", 12, FontFace::Text).width == once);
  CHECK_THAT(measure("journey", 24, FontFace::Text).width, WithinRel(2 * once, 0.01));
  CHECK_THAT(measure("\u22120.123", 12, FontFace::Number).width,
             WithinRel(6 * measure("0", 12, FontFace::Number).width, 0.01));
}

TEST_CASE("text is painted where it was planned") {
  HeatmapPlan plan;
  plan.width = 100;
  plan.height = 40;
  plan.background = hex("#FFFFFF");
  PlannedText text;
  text.text = "HHHH";
  text.x = 50;
  text.y = 20;
  text.size_px = 16;
  text.anchor = Anchor::Middle;
  text.color = hex("#000000");
  plan.texts.push_back(text);
  const Pixels pixels(png_bytes(plan, 1));
  int left = 100, right = -1, top = 40, bottom = -1;
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 100; ++x)
      if (pixels.at(x, y).r < 128) {
        left = std::min(left, x);
        right = std::max(right, x + 1);
        top = std::min(top, y);
        bottom = std::max(bottom, y + 1);
      }
  CHECK_THAT((left + right) / 2.0, WithinAbs(50, 1.1));
  CHECK_THAT((top + bottom) / 2.0, WithinAbs(20, 1.1));
  CHECK_THAT(right - left, WithinAbs(pango_measure()("HHHH", 16, FontFace::Text).width, 4));
}

TEST_CASE("a picture that is too large is refused by name") {
  HeatmapPlan plan;
  plan.width = 20000;
  plan.height = 10;
  CHECK_THROWS_AS(png_bytes(plan, 2), Error);
}

TEST_CASE("a saved picture is a PNG; a folder that is missing is an error") {
  const TemporaryFolder folder;
  const HeatmapPlan plan = plan_heatmap(bare_figure(ramp_tile(Stage::Weights, 2, 2, 0, 1)),
                                        FigureStyle::dark(), cells_of(10), pango_measure());
  save_png(plan, 1, folder / "picture.png");
  CHECK(read_file(folder / "picture.png") == png_bytes(plan, 1));
  CHECK_THROWS_AS(save_png(plan, 1, folder / "missing/picture.png"), Error);
}

TEST_CASE("the pointed end of a bar is a triangle and nothing else, whatever text stands before it") {
  HeatmapFigure figure = bare_figure(ramp_tile(Stage::Weights, 4, 4, 0, 1));
  figure.subtitle = "a head";
  figure.range.high = 0.5;
  figure.range.above = true;
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::light(), cells_of(30), pango_measure());
  REQUIRE(plan.bars.size() == 1);
  const auto& bar = plan.bars.front();
  REQUIRE(bar.top_tip_px > 0);
  // The bar of the second plan lies behind the texts of the first.
  const FigureGrid grid = arrange({plan, plan}, "", "", FigureStyle::light(), {}, pango_measure());
  const Pixels pixels(png_bytes(grid, 1));
  const PlacedPlan& second = grid.plans[1];
  const int left = static_cast<int>(second.x + bar.rect.x) - 2;
  const int bottom = static_cast<int>(second.y + plan.cells.rect.y) - 1;
  const int first_bar = static_cast<int>(grid.plans[0].x + bar.rect.x) - 2;
  for (int y = 0; y < bottom; ++y)
    for (int x = 0; x < left; ++x) {
      if (x >= first_bar && x < first_bar + static_cast<int>(bar.rect.width) + 5) continue;
      INFO(x << ", " << y);
      REQUIRE_FALSE(pixels.at(x, y) == bar.colors.front());
    }
}

TEST_CASE("heads stand side by side with one colour range") {
  Tile first = ramp_tile(Stage::Scores, 3, 3, -1, 1), second = ramp_tile(Stage::Scores, 3, 3, 0, 4);
  second.request.head = 1;
  const FigureGrid grid =
      stage_picture({first, second}, tokens(3), 2, "Two heads", FigureStyle::dark(), pango_measure());
  REQUIRE(grid.plans.size() == 2);
  CHECK(grid.plans[0].plan.cells.rect.y + grid.plans[0].y ==
        grid.plans[1].plan.cells.rect.y + grid.plans[1].y);
  CHECK(grid.plans[0].x + grid.plans[0].plan.width < grid.plans[1].x);
  CHECK(grid.plans[1].x + grid.plans[1].plan.width <= grid.width);
  CHECK(grid.plans[0].plan.cells.colors[8] == grid.plans[1].plan.cells.colors[2]);  // both are 1
  CHECK(grid.texts.front().text == "Attention scores");
  const Pixels pixels(png_bytes(grid, 1));
  const Rect cell = grid.plans[1].plan.cell_rect(2, 2);
  CHECK(pixels.at(static_cast<int>(grid.plans[1].x + cell.x) + 3,
                  static_cast<int>(grid.plans[1].y + cell.y) + 3) == grid.plans[1].plan.cells.colors[8]);
}

TEST_CASE("plans that do not fit a row begin a new one") {
  std::vector<HeatmapPlan> plans(5);
  for (HeatmapPlan& plan : plans)
    plan.width = 100, plan.height = 50;
  GridLimits limits;
  limits.max_width = 24 + 100 + 32 + 100 + 24;
  const FigureGrid grid = arrange(plans, "", "", FigureStyle::dark(), limits, plain_measure);
  CHECK(grid.width == limits.max_width);
  CHECK(grid.plans[2].x == grid.plans[0].x);
  CHECK(grid.plans[2].y >= grid.plans[0].y + 50);
  CHECK(grid.height == grid.plans[4].y + 50 + limits.padding_px);
}
