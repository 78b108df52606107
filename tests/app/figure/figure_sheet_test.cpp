#include "app/figure/plan/figure_sheet.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/export/figure_options.h"
#include "engine/core/error.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

FigureSheet sheet_of(std::size_t count, Index cells, const std::vector<std::string>& labels) {
  FigureSheet sheet;
  sheet.name = "a sheet";
  sheet.title = "weights";
  for (std::size_t i = 0; i < count; ++i)
    sheet.figures.push_back(stage_figure(ramp_tile(Stage::Weights, cells, cells, 0, 1), labels, 1, ""));
  sheet.same_rows = sheet.same_range = true;
  return sheet;
}

FigureGrid laid_out(const FigureSheet& sheet, const SheetSize& size) {
  return lay_out([&](Index) { return sheet; }, size, FigureStyle::light(), plain_measure);
}

double right_of(const PlacedPlan& placed) {
  return placed.x + placed.plan.width;
}

}  // namespace

TEST_CASE("a figure of the default size is at most 1,200 wide, whatever is on it") {
  for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{6}, std::size_t{12}})
    for (const Index cells : {Index{6}, Index{13}, Index{40}, Index{200}})
      for (const std::size_t columns : {std::size_t{0}, std::size_t{3}})
        for (const bool same_columns : {true, false}) {
          INFO(count << " of " << cells << " in " << columns);
          FigureSheet sheet = sheet_of(count, cells, tokens(cells));
          sheet.columns = columns;
          sheet.same_columns = same_columns;
          CHECK(laid_out(sheet, {{}, {}, 0.5}).width <= 1200);
        }
}

TEST_CASE("heads of a figure of the default size stand in a grid, not in a tower") {
  for (const std::size_t count : {std::size_t{3}, std::size_t{4}, std::size_t{6}, std::size_t{12}})
    for (const Index cells : {Index{6}, Index{13}, Index{40}}) {
      INFO(count << " of " << cells);
      FigureSheet sheet = sheet_of(count, cells, tokens(cells));
      sheet.same_columns = true;
      const FigureGrid figure = laid_out(sheet, {{}, {}, 0.5});
      CHECK(figure.height <= 2 * figure.width);
    }
}

TEST_CASE("heatmaps of one line have their titles and their cells at one height, whatever their labels") {
  FigureSheet sheet = sheet_of(3, 3, tokens(3));
  sheet.same_rows = false;
  for (HeatmapFigure& figure : sheet.figures)
    figure.title = "a title";
  sheet.figures[1].column_axis.clear();
  sheet.figures[2].column_labels.clear();
  const FigureGrid figure = laid_out(sheet, {{}, {}, 0.5});
  std::set<double> titles, tops;
  for (const PlacedPlan& placed : figure.plans) {
    const auto title = std::find_if(placed.plan.texts.begin(), placed.plan.texts.end(),
                                    [](const PlannedText& text) { return text.text == "a title"; });
    REQUIRE(title != placed.plan.texts.end());
    titles.insert(placed.y + title->y);
    tops.insert(placed.y + placed.plan.cells.rect.y);
  }
  CHECK(titles.size() == 1);
  CHECK(tops.size() == 1);
}

TEST_CASE("numbers in more than 12 rows or columns are shown where they are asked for") {
  FigureOptions options;
  for (const auto& [cells, shown] : {std::pair{Index{12}, true}, {Index{13}, false}}) {
    HeatmapFigure figure = stage_figure(ramp_tile(Stage::Weights, cells, cells, 0, 1), tokens(cells), 1, "");
    options.many_numbers = false;
    apply_options(figure, options);
    CHECK((figure.decimals >= 0) == shown);
    options.many_numbers = true;
    apply_options(figure, options);
    CHECK(figure.decimals == options.decimals);
  }
}

TEST_CASE("a sheet takes the width asked for, and its cells what is left of it") {
  for (const double width : {300.0, 641.3, 2000.0}) {
    const FigureGrid grid = laid_out(sheet_of(2, 6, tokens(6)), {width, std::nullopt, 0});
    CHECK(grid.width == width);
    CHECK(grid.title == "a sheet");
    REQUIRE(grid.plans.size() == 2);
    CHECK(right_of(grid.plans[1]) <= width);
    CHECK(right_of(grid.plans[1]) > 0.9 * width);
    CHECK(grid.plans[0].plan.cells.rect.width == grid.plans[1].plan.cells.rect.width);
  }
}

TEST_CASE("a page of both sizes chooses the columns that make cells largest") {
  const FigureSheet sheet = sheet_of(6, 6, {});
  const FigureGrid wide = laid_out(sheet, {1200, 300, 0}), high = laid_out(sheet, {300, 1200, 0});
  CHECK(wide.height == 300);
  CHECK(high.height == 1200);
  CHECK(wide.plans[5].y == wide.plans[0].y);  // all in one row
  CHECK(high.plans[1].x == high.plans[0].x);  // all in one column
  for (const FigureGrid* grid : {&wide, &high})
    for (const PlacedPlan& placed : grid->plans) {
      CHECK(right_of(placed) <= grid->width);
      CHECK(placed.y + placed.plan.height <= grid->height);
    }
}

TEST_CASE("labels and bars that neighbours have are not repeated") {
  const FigureGrid grid = laid_out(sheet_of(3, 4, tokens(4)), {900, std::nullopt, 0});
  CHECK(texts_named(grid.plans[0].plan, "starts").size() == 2);  // the row label and the column label
  CHECK(texts_named(grid.plans[1].plan, "starts").size() == 1);
  CHECK(grid.plans[0].plan.bars.empty());
  CHECK(grid.plans[2].plan.bars.size() == 1);
}

TEST_CASE("panels of two lines have labels and names at the outer sides, and one bar") {
  for (const bool of_page : {true, false})
    for (const bool below : {false, true}) {
      FigureSheet sheet = sheet_of(5, 4, tokens(4));
      sheet.same_columns = true;
      sheet.columns = 3;
      for (HeatmapFigure& figure : sheet.figures)
        figure.columns_below = below;
      const FigureGrid grid = laid_out(sheet, of_page ? SheetSize{900, std::nullopt, 0} : SheetSize{});
      REQUIRE(grid.plans.size() == 5);
      const auto count = [&grid](std::size_t i, const char* text) {
        return texts_named(grid.plans[i].plan, text).size();
      };
      for (std::size_t i = 0; i < 5; ++i) {
        INFO(i << " of page " << of_page << ", below " << below);
        const bool outer_row = i % 3 == 0, outer_column = below ? i >= 2 : i < 3;
        CHECK(count(i, "starts") == (outer_row ? 1u : 0u) + (outer_column ? 1u : 0u));
        CHECK(count(i, "query") == (outer_row ? 1u : 0u));
        CHECK(count(i, "key") == (outer_column ? 1u : 0u));
        CHECK(grid.plans[i].plan.bars.size() == (i == 2 ? 1u : 0u));
      }
      // Cells are aligned within a column and within a row.
      const auto left = [&grid](std::size_t i) { return grid.plans[i].x + grid.plans[i].plan.cells.rect.x; };
      const auto top = [&grid](std::size_t i) { return grid.plans[i].y + grid.plans[i].plan.cells.rect.y; };
      CHECK_THAT(left(0), WithinAbs(left(3), 1e-9));
      CHECK_THAT(left(1), WithinAbs(left(4), 1e-9));
      CHECK(std::abs(top(0) - top(2)) <= 1);
      CHECK(std::abs(top(3) - top(4)) <= 1);
      for (const PlacedPlan& placed : grid.plans) {
        CHECK(right_of(placed) <= grid.width);
        CHECK(placed.y + placed.plan.height <= grid.height);
      }
    }
}

TEST_CASE("panels that share their labels are wrapped before they grow too wide") {
  FigureSheet sheet = sheet_of(12, 6, tokens(6));
  sheet.same_columns = true;
  const FigureGrid grid = laid_out(sheet, {});
  CHECK(grid.width <= 1200);
  CHECK(grid.width > 800);
  CHECK(grid.plans[1].y == grid.plans[0].y);
  CHECK(grid.plans[11].y > grid.plans[0].y);
}

TEST_CASE("cells take whole pixels, and are pooled where the page has too few") {
  const double pixel = 0.5;
  const FigureGrid grid = laid_out(sheet_of(1, 10, {}), {333, std::nullopt, pixel});
  const double cell = grid.plans[0].plan.cells.rect.width / 10;
  CHECK_THAT(cell / pixel, WithinAbs(std::round(cell / pixel), 1e-9));
  Index asked = 0;
  const FigureGrid pooled = lay_out(
      [&](Index max_cells) {
        asked = max_cells;
        return sheet_of(1, std::min<Index>(max_cells, 1000), {});
      },
      {333, std::nullopt, pixel}, FigureStyle::light(), plain_measure);
  CHECK(asked < 666);
  CHECK(asked > 400);
  CHECK(pooled.plans[0].plan.cells.columns == asked);
  CHECK(pooled.plans[0].plan.cells.rect.width / static_cast<double>(asked) >= pixel - 1e-9);
}

TEST_CASE("a title is shortened to the page; a page without room is refused") {
  FigureSheet sheet = sheet_of(1, 4, {});
  sheet.figures[0].title = std::string(200, 'W');
  const FigureGrid grid = laid_out(sheet, {300, std::nullopt, 0});
  CHECK(grid.width == 300);
  for (const PlannedText& text : grid.plans[0].plan.texts)
    if (text.angle_deg == 0) CHECK(text.x + plain_measure(text.text, text.size_px, text.face).width <= 300);
  CHECK_THROWS_AS(laid_out(sheet_of(9, 4, tokens(4)), {60, std::nullopt, 0}), Error);
}

TEST_CASE("options change the plan and its style") {
  FigureOptions options;
  options.font_size_pt = 6;
  CHECK(figure_style(options).label_size_px == 8);
  CHECK(figure_style(options).title_size_px == 12);
  options.ground = Ground::Dark;
  CHECK(figure_style(options).text == FigureStyle::dark().text);
  options.font = "serif";
  CHECK(figure_style(options).fonts.text == "serif");
  HeatmapFigure figure = stage_figure(ramp_tile(Stage::Weights, 4, 4, 0, 1), tokens(4), 1, "");
  const auto plan_with = [&](GridLines lines, double cell_px) {
    options.grid_lines = lines;
    HeatmapFigure shown = figure;
    apply_options(shown, options);
    PlanLimits limits;
    limits.cell_px = cell_px;
    return plan_heatmap(shown, FigureStyle::light(), limits, plain_measure);
  };
  options.color_bar = options.axis_names = options.labels = options.numbers = false;
  CHECK(plan_with(GridLines::Never, 60).lines.empty());
  CHECK(plan_with(GridLines::Never, 60).bars.empty());
  CHECK(plan_with(GridLines::WhereRoom, 60).lines.size() == 6);
  CHECK(plan_with(GridLines::WhereRoom, 10).lines.empty());
  CHECK(plan_with(GridLines::Always, 10).lines.size() == 6);
  for (const PlannedText& text : plan_with(GridLines::Never, 60).texts)
    CHECK(text.text == figure.title);
}

TEST_CASE("the kept column is one of the stages that have such columns") {
  FigureOptions options;
  options.chosen_row = 2;
  options.chosen_column = 1;
  HeatmapFigure weights = stage_figure(ramp_tile(Stage::Weights, 4, 4, 0, 1), tokens(4), 1, "");
  HeatmapFigure values = stage_figure(ramp_tile(Stage::Values, 4, 4, 0, 1), tokens(4), 1, "");
  apply_options(weights, options);
  apply_options(values, options);
  CHECK(weights.selected_row == 2);
  CHECK(values.selected_row == 2);
  CHECK(weights.selected_column == 1);
  CHECK(values.selected_column == -1);
}

TEST_CASE("lengths are planned pixels of 1/96 inch; a PNG's own pixels depend on its dpi") {
  FigureOptions options;
  options.dpi = 288;
  CHECK(planned_px({1, LengthUnit::Inches}, options, FigureFormat::Png) == 96);
  CHECK_THAT(planned_px({25.4, LengthUnit::Millimetres}, options, FigureFormat::Pdf), WithinAbs(96, 1e-9));
  CHECK_THAT(planned_px({2.54, LengthUnit::Centimetres}, options, FigureFormat::Pdf), WithinAbs(96, 1e-9));
  CHECK_THAT(planned_px({72, LengthUnit::Points}, options, FigureFormat::Svg), WithinAbs(96, 1e-9));
  CHECK(planned_px({300, LengthUnit::Pixels}, options, FigureFormat::Png) == 100);
  CHECK(planned_px({300, LengthUnit::Pixels}, options, FigureFormat::Svg) == 300);
}

TEST_CASE("cells of one size are equal in sheets of any number of heatmaps and of any number of cells") {
  for (const double pixel : {0.0, 0.5})
    for (const std::size_t heads : {1, 2, 12})
      for (const Index count : {4, 30}) {
        const FigureGrid grid =
            laid_out(sheet_of(heads, count, tokens(count)), {std::nullopt, std::nullopt, pixel, 22.7});
        for (const PlacedPlan& placed : grid.plans) {
          const Rect cell = placed.plan.cell_rect(0, 0);
          CHECK_THAT(cell.width, WithinAbs(pixel > 0 ? 22.5 : 22.7, 1e-9));
          CHECK_THAT(cell.height, WithinAbs(cell.width, 1e-9));
          CHECK(placed.x + placed.plan.cells.rect.right() <= grid.width);
          CHECK(placed.y + placed.plan.cells.rect.bottom() <= grid.height);
        }
      }
}

TEST_CASE("cells of a size that cannot be are refused with what fits, and that fits") {
  const FigureSheet sheet = sheet_of(1, 100, tokens(100));
  try {
    laid_out(sheet, {std::nullopt, std::nullopt, 0, 300});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.where() == "cell");
    const std::string hint = error.hint();
    REQUIRE_THAT(hint, ContainsSubstring("cells of at most ") && ContainsSubstring(" mm fit"));
    const double fitting = std::stod(hint.substr(std::string("cells of at most ").size())) / 25.4 * 96;
    CHECK(fitting > 150);
    const FigureGrid grid = laid_out(sheet, {std::nullopt, std::nullopt, 0, fitting});
    CHECK(grid.width <= kLongestSide);
    CHECK(grid.height <= kLongestSide);
  }
  CHECK_THROWS_AS(laid_out(sheet, {std::nullopt, std::nullopt, 0.5, 0.4}), Error);
  CHECK_THROWS_AS(laid_out(sheet, {std::nullopt, std::nullopt, 0, 0}), Error);
  // A PNG of many dots is shorter.
  CHECK_THROWS_AS(laid_out(sheet, {std::nullopt, std::nullopt, 0.01, 40}), Error);
}
