// The colour bar: ticks of a logarithmic scale, pointed ends, and their pixels.
#include "app/figure/plan/color_bar.h"

#include <cmath>

#include "app/figure/paint/cairo_painter.h"
#include "tests/app/figure/figure_support.h"
#include "tests/app/figure/pixels.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

HeatmapPlan plan_with(const ColorRange& range, ColormapKind map = ColormapKind::Viridis) {
  HeatmapFigure figure = stage_figure(ramp_tile(Stage::Weights, 6, 6, 0, 1), {}, 1, "");
  figure.range = range;
  figure.colormap = map;
  figure.decimals = -1;
  PlanLimits limits;
  limits.cell_px = 20;
  return plan_heatmap(figure, FigureStyle::dark(), limits, pango_measure());
}

Color pixel_of(const HeatmapPlan& plan, double x, double y) {
  return Pixels(png_bytes(plan, 1)).at(static_cast<int>(x), static_cast<int>(y));
}

}  // namespace

TEST_CASE("colour bar: ticks of a logarithmic scale are powers of ten between its ends") {
  const std::vector<BarTick> ticks = bar_ticks({2e-4, 0.5, true}, 200, 14);
  std::vector<std::string> labels;
  for (const BarTick& tick : ticks)
    labels.push_back(tick.label);
  CHECK(bar_ticks({0.1649, 0.75, true}, 200, 14).front().label == "0.165");
  CHECK(labels == std::vector<std::string>{"0.0002", "0.001", "0.01", "0.1", "0.5"});
}

TEST_CASE(
    "colour bar: a long logarithmic bar has 2 and 5 between the powers, a short one leaves powers out") {
  std::vector<std::string> labels;
  for (const BarTick& tick : bar_ticks({0.01, 1, true}, 400, 14))
    labels.push_back(tick.label);
  CHECK(labels == std::vector<std::string>{"0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"});
  const std::vector<BarTick> few = bar_ticks({1e-6, 1, true}, 90, 14);
  REQUIRE(few.size() >= 3);
  CHECK(few.size() <= 5);
  for (std::size_t i = 1; i < few.size(); ++i) {
    const ColorRange range = {1e-6, 1, true};
    CHECK((range.share(few[i].value) - range.share(few[i - 1].value)) * 90 >= 14);
  }
}

TEST_CASE("colour bar: labels of any logarithmic range keep apart") {
  for (const double low : {1e-6, 3e-5, 2e-3, 0.07})
    for (const double high : {0.09, 0.3, 1.0, 4.0})
      for (const double height : {40.0, 120.0, 300.0}) {
        const ColorRange range = {low, high, true};
        const std::vector<BarTick> ticks = bar_ticks(range, height, 14);
        CHECK(ticks.front().value == low);
        CHECK(ticks.back().value == high);
        for (std::size_t i = 1; i < ticks.size(); ++i)
          CHECK((range.share(ticks[i].value) - range.share(ticks[i - 1].value)) * height >= 14);
      }
}

TEST_CASE("colour bar: ends are pointed exactly where cells lie beyond them, in the end's colour") {
  const HeatmapPlan square = plan_with({0, 1});
  CHECK(square.bars.front().top_tip_px == 0);
  CHECK(square.bars.front().bottom_tip_px == 0);
  const HeatmapPlan plan = plan_with({0.2, 0.8, false, true, true});
  const PlannedBar& bar = plan.bars.front();
  CHECK(bar.top_tip_px > 0);
  CHECK(bar.bottom_tip_px > 0);
  const double middle = bar.rect.x + bar.rect.width / 2;
  CHECK(pixel_of(plan, middle, bar.rect.y - 3) == Colormap::viridis().at(1));
  CHECK(pixel_of(plan, middle, bar.rect.bottom() + 2) == Colormap::viridis().at(0));
  CHECK(pixel_of(square, middle, bar.rect.y - 3) == FigureStyle::dark().background);
  CHECK(bar.bottom_tip()[2].y <= plan.height);
  CHECK(bar.top_tip()[2].y >= 0);
}

TEST_CASE(
    "colours: cells beyond the range have the colour of the end, zero on a logarithmic scale the low one") {
  const HeatmapPlan plan = plan_with({0.01, 0.5, true, true, true}, ColormapKind::Cividis);
  const Colormap map = Colormap::of(ColormapKind::Cividis, FigureStyle::dark().neutral);
  CHECK(plan.cells.colors.front() == map.at(0));
  CHECK(plan.cells.colors.back() == map.at(1));
  const Rect cell = plan.cell_rect(0, 0);
  CHECK(pixel_of(plan, cell.x + 5, cell.y + 5) == hex("#00224e"));
  // The seventh cell holds 6/35.
  const double share = std::log(6.0 / 35 / 0.01) / std::log(50.0);
  CHECK(plan.cells.colors[6] == map.at(share));
}

TEST_CASE(
    "colours: cells that appeared have a corner, those that vanished a frame, and words stand for what is "
    "infinite") {
  Tile tile = ramp_tile(Stage::Masked, 2, 2, -1, 1);
  tile.marks[0] = CellMark::Appeared;
  tile.marks[3] = CellMark::Vanished;
  tile.values(0, 0) = INFINITY;
  tile.values(1, 1) = -0.5f;  // finite in both models
  HeatmapFigure figure = stage_figure(tile, {}, 1, "");
  figure.range = {-1, 1};
  PlanLimits limits;
  limits.cell_px = 60;
  const FigureStyle style = FigureStyle::light();
  const HeatmapPlan plan = plan_heatmap(figure, style, limits, pango_measure());
  CHECK(plan.cells.colors[0] == style.neutral);
  CHECK(plan.cells.colors[3] != style.neutral);
  CHECK(texts_named(plan, "new").size() == 1);
  CHECK(texts_named(plan, "gone").empty());
  CHECK(texts_named(plan, "\u22120.5000").size() == 1);
  const Rect cell = plan.cell_rect(0, 0);
  CHECK(pixel_of(plan, cell.x + 2, cell.y + 4) == text_on(style.neutral));
  CHECK(pixel_of(plan, cell.x + 4, cell.y + 2) == text_on(style.neutral));
  CHECK(pixel_of(plan, cell.x + 2, cell.y + 30) == style.neutral);  // it is no frame, as of what is selected
  for (const PlannedBox& box : plan.boxes)
    CHECK(box.color != style.accent);
  for (const PlannedLine& line : plan.lines)
    CHECK(line.color != style.accent);
}
