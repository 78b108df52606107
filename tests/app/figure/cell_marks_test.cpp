#include "app/figure/plan/cell_marks.h"

#include <limits>
#include <memory>
#include <vector>

#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"
#include "tests/support/random_models.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<Color> colors_of(const Tile& tile, const ColorRange& range, double cell_px = 2) {
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(tile);
  figure.range = range;
  return cell_colors(figure, Colormap::viridis(), FigureStyle::dark(), cell_px, cell_px, plain_measure);
}

// The colour of the share, or of a share at most 1e-6 away: rounding may select either.
bool near(Color color, double share) {
  const Colormap& map = Colormap::viridis();
  return color == map.at(share) || color == map.at(share - 1e-6) || color == map.at(share + 1e-6);
}

HeatmapPlan plan_of_cells(const Matrix& values, const ColorRange& range, double cell_px) {
  Tile tile;
  tile.values = values;
  tile.marks.assign(static_cast<std::size_t>(values.size()), CellMark::None);
  tile.request.row_end = tile.total_rows = values.rows();
  tile.request.column_end = tile.total_columns = values.cols();
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(std::move(tile));
  figure.range = range;
  PlanLimits limits;
  limits.cell_px = cell_px;
  return plan_heatmap(figure, FigureStyle::light(), limits, plain_measure);
}

// The slanted lines within the rectangle, and whether the point where they meet is at its top.
struct Chevrons {
  int lines = 0;
  bool at_top = false;
};
Chevrons chevrons_in(const HeatmapPlan& plan, const Rect& rect) {
  Chevrons found;
  for (const PlannedLine& line : plan.lines) {
    const bool inside = std::min(line.x1, line.x2) >= rect.x && std::max(line.x1, line.x2) <= rect.right() &&
                        std::min(line.y1, line.y2) >= rect.y && std::max(line.y1, line.y2) <= rect.bottom();
    if (!inside || line.x1 == line.x2 || line.y1 == line.y2) continue;
    ++found.lines;
    found.at_top = std::min(line.y1, line.y2) - rect.y < rect.bottom() - std::max(line.y1, line.y2);
  }
  return found;
}

}  // namespace

TEST_CASE("cell colours: each number has the colour of its share of the range") {
  constexpr double kLeast = std::numeric_limits<float>::denorm_min(),
                   kMost = std::numeric_limits<float>::max();
  Dice dice(71);
  for (const ColorRange& range :
       {ColorRange{0, 1}, ColorRange{-3, 0.25}, ColorRange{1e-35, 3e-35}, ColorRange{-2e36, 3e36},
        ColorRange{0, kLeast}, ColorRange{-kMost, kMost}, ColorRange{-1e300, 1e300}, ColorRange{1e7, 1e7 + 8},
        ColorRange{1e-4, 1, true}, ColorRange{1e-30, 1e-26, true}}) {
    Matrix values(40, 25);
    for (Index i = 0; i < values.size(); ++i)
      values.data()[i] = static_cast<float>(range.at(dice.real(-0.2, 1.2)));
    values(0, 0) = 0;
    const std::vector<Color> colors = colors_of(make_tile(Stage::Scores, values), range);
    for (Index i = 0; i < values.size(); ++i) {
      INFO(values.data()[i] << " between " << range.low << " and " << range.high);
      if (std::isfinite(values.data()[i]))
        REQUIRE(near(colors[static_cast<std::size_t>(i)], range.share(double{values.data()[i]})));
    }
  }
}

TEST_CASE("cell colours: what is no number has no colour of the scale") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const FigureStyle style = FigureStyle::dark();
  Tile tile = make_tile(Stage::Scores, Matrix::Constant(2, 4, 0.5f));
  tile.values.row(0) << std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, 0.5f;
  tile.values.row(1) << 0.5f, 0.5f, kInfinity, 0.5f;
  tile.marks[4] = CellMark::Masked;
  tile.marks[5] = CellMark::Dropped;
  tile.marks[6] = CellMark::Appeared;
  tile.marks[7] = CellMark::Vanished;
  for (const ColorRange& range : {ColorRange{0, 1}, ColorRange{0, 1e-310}, ColorRange{0.25, 1, true}}) {
    const Color shown = Colormap::viridis().at(range.share(0.5));
    const std::vector<Color> small = colors_of(tile, range), large = colors_of(tile, range, 60);
    CHECK(small == std::vector<Color>{style.error, style.error, style.error, shown, style.neutral,
                                      style.neutral, style.neutral, shown});
    CHECK(large == std::vector<Color>{style.neutral, style.neutral, style.neutral, shown, style.neutral,
                                      style.neutral, style.neutral, shown});
  }
}

TEST_CASE("words read upwards in cells that are higher than wide and too narrow for them") {
  HeatmapFigure figure = stage_figure(ramp_tile(Stage::Weights, 2, 8, 0, 1), tokens(8), 1, "", {});
  figure.cell_texts.assign(16, "yellow");
  PlanLimits limits;
  limits.width = 360;
  limits.height = 400;
  limits.tall_cell_px = 96;
  const auto words_of = [&](const HeatmapPlan& plan) {
    std::vector<PlannedText> words;
    for (const PlannedText& text : plan.texts)
      if (text.text.starts_with("ye")) words.push_back(text);
    return words;
  };
  const HeatmapPlan narrow = plan_heatmap(figure, FigureStyle::light(), limits, plain_measure);
  CHECK(narrow.cell_rect(0, 0).height > narrow.cell_rect(0, 0).width);
  REQUIRE(words_of(narrow).size() == 16);
  for (const PlannedText& word : words_of(narrow)) {
    CHECK(word.text == "yellow");
    CHECK(word.angle_deg == 90);
  }
  limits.width = 1200;
  limits.max_cell_px = 96;
  const HeatmapPlan wide = plan_heatmap(figure, FigureStyle::light(), limits, plain_measure);
  REQUIRE(words_of(wide).size() == 16);
  for (const PlannedText& word : words_of(wide))
    CHECK(word.angle_deg == 0);
  // Without words cells stay square.
  figure.cell_texts.clear();
  limits.width = 360;
  const HeatmapPlan square = plan_heatmap(figure, FigureStyle::light(), limits, plain_measure);
  CHECK(square.cell_rect(0, 0).height <= square.cell_rect(0, 0).width + 1);
}

TEST_CASE("cell marks: a number beyond a chosen range has a chevron in its cell, and the bar has it too") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Matrix values(2, 3);
  values << 0.1f, 0.5f, 0.9f, 0.2f, nan, 0.8f;
  const ColorRange range = {0.2, 0.8, false, true, true, true};
  for (const double cell_px : {10.0, 40.0}) {
    const HeatmapPlan plan = plan_of_cells(values, range, cell_px);
    CHECK(chevrons_in(plan, plan.cell_rect(0, 0)).lines == 2);
    CHECK_FALSE(chevrons_in(plan, plan.cell_rect(0, 0)).at_top);
    CHECK(chevrons_in(plan, plan.cell_rect(0, 2)).lines == 2);
    CHECK(chevrons_in(plan, plan.cell_rect(0, 2)).at_top);
    for (const auto& [row, column] : {std::pair(0, 1), {1, 0}, {1, 1}, {1, 2}})
      CHECK(chevrons_in(plan, plan.cell_rect(row, column)).lines == 0);
    const Rect bar = plan.bars.front().rect, cells = plan.cells.rect;
    const Rect beside = {cells.right(), bar.y - 8, bar.x - cells.right(), bar.height + 16};
    CHECK(chevrons_in(plan, beside).lines == 4);
  }
  // The mark differs from its cell by more than a hue.
  const HeatmapPlan plan = plan_of_cells(values, range, 40);
  for (const PlannedLine& line : plan.lines) {
    if (line.x1 == line.x2 || line.y1 == line.y2 || line.x1 > plan.cells.rect.right()) continue;
    const HeatmapPlan::Cell at = plan.cell_at(line.x1, line.y1);
    const Color ground = plan.cells.colors[static_cast<std::size_t>(at.row * 3 + at.column)];
    CHECK(contrast(line.color, ground) > 3);
  }
}

TEST_CASE("cell marks: no chevron without room, and none in a range that is not chosen") {
  Matrix values(1, 2);
  values << 0.1f, 0.9f;
  const HeatmapPlan small = plan_of_cells(values, {0.2, 0.8, false, true, true, true}, 5);
  CHECK(chevrons_in(small, small.cells.rect).lines == 0);
  CHECK(small.bars.front().top_tip_px > 0);
  const HeatmapPlan automatic = plan_of_cells(values, {0.2, 0.8, false, true, true, false}, 40);
  CHECK(chevrons_in(automatic, {0, 0, automatic.width, automatic.height}).lines == 0);
}
