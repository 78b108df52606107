#include "app/figure/plan/heatmap_plan.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numbers>
#include <set>

#include "app/figure/paint/cairo_painter.h"
#include "app/figure/plan/color_bar.h"
#include "app/figure/plan/hatching.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

using Quad = std::array<Point, 4>;

// The area of a text: as wide as measured, as high as its capitals, rotated by its angle.
Quad covered(const PlannedText& text, const MeasureText& measure) {
  const double width = measure(text.text, text.size_px, text.face).width, half = 0.37 * text.size_px;
  const double begin = text.anchor == Anchor::Start ? 0 : text.anchor == Anchor::Middle ? -width / 2 : -width;
  const double angle = text.angle_deg * 3.14159265358979 / 180, c = std::cos(angle), s = std::sin(angle);
  const auto turned = [&](double x, double y) {
    return Point{text.x + x * c + y * s, text.y - x * s + y * c};
  };
  return {turned(begin, -half), turned(begin + width, -half), turned(begin + width, half),
          turned(begin, half)};
}

// Whether a line along a side of `a` separates the two convex shapes.
bool apart_along_sides(const Quad& a, const Quad& b) {
  for (std::size_t i = 0; i < 4; ++i) {
    const Point from = a[i], to = a[(i + 1) % 4];
    const Point normal = {to.y - from.y, from.x - to.x};
    const auto reach = [&](const Quad& quad) {
      double low = INFINITY, high = -INFINITY;
      for (const Point& p : quad) {
        const double at = p.x * normal.x + p.y * normal.y;
        low = std::min(low, at);
        high = std::max(high, at);
      }
      return std::array{low, high};
    };
    const auto first = reach(a), second = reach(b);
    if (first[1] <= second[0] + 1e-6 || second[1] <= first[0] + 1e-6) return true;
  }
  return false;
}
bool overlap(const Quad& a, const Quad& b) {
  return !apart_along_sides(a, b) && !apart_along_sides(b, a);
}

Quad corners(const Rect& r) {
  return {Point{r.x, r.y}, Point{r.right(), r.y}, Point{r.right(), r.bottom()}, Point{r.x, r.bottom()}};
}

// The width of the hatching's parts inside a rectangle, summed.
double hatched_length(const PlannedHatching& hatching, const Rect& rect) {
  double length = 0;
  for (const auto& [from, to] : hatching.segments) {
    const double sum = from.x + from.y;
    const double begin = std::max({from.x, rect.x, sum - rect.bottom()}),
                 end = std::min({to.x, rect.right(), sum - rect.y});
    length += std::max(0.0, end - begin);
  }
  return length;
}

bool inside_cells(const HeatmapPlan& plan, const PlannedText& text) {
  return plan.cell_at(text.x, text.y).row >= 0;
}

// The first fault of the layout, or "".
std::string layout_fault(const HeatmapPlan& plan, const MeasureText& measure) {
  const Rect& cells = plan.cells.rect;
  if (cells.x < 0 || cells.y < 0 || cells.right() > plan.width || cells.bottom() > plan.height)
    return "the cells leave the picture";
  std::vector<Quad> shapes;
  for (const PlannedText& text : plan.texts)
    shapes.push_back(covered(text, measure));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (const Point& p : shapes[i])
      if (p.x < -0.01 || p.y < -0.01 || p.x > plan.width + 0.01 || p.y > plan.height + 0.01)
        return "outside the picture: " + plan.texts[i].text;
    if (inside_cells(plan, plan.texts[i])) continue;
    if (overlap(shapes[i], corners(cells))) return "over the cells: " + plan.texts[i].text;
    for (const PlannedBar& bar : plan.bars)
      if (overlap(shapes[i], corners(bar.rect))) return "over the bar: " + plan.texts[i].text;
    for (const PlannedBar& strip : plan.strips)
      if (overlap(shapes[i], corners(strip.rect))) return "over the sink: " + plan.texts[i].text;
    for (std::size_t k = 0; k < i; ++k)
      if (!inside_cells(plan, plan.texts[k]) && overlap(shapes[i], shapes[k]))
        return plan.texts[i].text + " over " + plan.texts[k].text;
  }
  for (const PlannedBar& strip : plan.strips) {
    if (strip.rect.right() > plan.width || strip.rect.x < cells.right()) return "the sink leaves its place";
    for (const PlannedBar& bar : plan.bars)
      if (overlap(corners(strip.rect), corners(bar.rect))) return "the sink is over the bar";
  }
  return "";
}

HeatmapFigure figure_of(Stage stage, Index rows, Index columns, bool sink = false) {
  Tile tile = ramp_tile(stage, rows, columns, stage == Stage::Weights ? 0.0f : -1.23f, 2.34f);
  if (stage == Stage::Masked) mask_future(tile);
  if (sink) tile.sink_weights.assign(static_cast<std::size_t>(rows), 0.4f);
  return stage_figure(tile, tokens(rows), 2, "A session with a title of some length");
}

}  // namespace

TEST_CASE("nothing of a plan overlaps or leaves the picture") {
  const MeasureText pango = pango_measure();
  struct Shape {
    Stage stage;
    Index rows, columns;
    bool sink = false;
  };
  for (const Shape& shape :
       {Shape{Stage::Weights, 1, 1}, Shape{Stage::Weights, 11, 11, true}, Shape{Stage::Weights, 64, 64, true},
        Shape{Stage::Masked, 6, 6}, Shape{Stage::Weights, 11, 11}, Shape{Stage::Scores, 20, 20},
        Shape{Stage::Weights, 64, 64}, Shape{Stage::Masked, 257, 257}, Shape{Stage::Context, 6, 2},
        Shape{Stage::Embeddings, 6, 768}, Shape{Stage::Output, 300, 1}, Shape{Stage::Embeddings, 1, 40}}) {
    const HeatmapFigure figure = figure_of(shape.stage, shape.rows, shape.columns, shape.sink);
    for (const MeasureText& measure : {MeasureText(plain_measure), pango}) {
      INFO(figure.title << " " << shape.rows << " x " << shape.columns);
      for (const double cell_px : {1.0, 2.0, 7.0, 15.0, 24.0, 56.0}) {
        if (cell_px * static_cast<double>(std::max(shape.rows, shape.columns)) > 4000) continue;
        PlanLimits limits;
        limits.cell_px = cell_px;
        limits.padding_px = 16;
        INFO("cells of " << cell_px);
        CHECK(layout_fault(plan_heatmap(figure, FigureStyle::dark(), limits, measure), measure) == "");
      }
      for (const double width : {120.0, 170.0, 240.0, 333.0, 640.0, 1100.0})
        for (const double height : {110.0, 160.0, 260.0, 480.0, 800.0}) {
          PlanLimits limits;
          limits.width = width;
          limits.height = height;
          limits.show_title = width > 200 && height > 200;
          INFO("picture of " << width << " x " << height);
          CHECK(layout_fault(plan_heatmap(figure, FigureStyle::light(), limits, measure), measure) == "");
        }
    }
  }
}

TEST_CASE("a sink's column is as high as the cells, with a colour for each row") {
  HeatmapFigure figure = figure_of(Stage::Weights, 5, 5);
  Tile tile = *figure.tile;
  tile.sink_weights = {0, 0.5f, 1, 1.5f, 2.34f};
  figure.tile = std::make_shared<const Tile>(tile);
  PlanLimits limits;
  limits.cell_px = 40;
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::light(), limits, plain_measure);
  REQUIRE(plan.strips.size() == 1);
  CHECK(plan.strips[0].rect.y == plan.cells.rect.y);
  CHECK(plan.strips[0].rect.height == plan.cells.rect.height);
  REQUIRE(plan.strips[0].colors.size() == 5);
  CHECK(plan.strips[0].colors.front() != plan.strips[0].colors.back());
  CHECK(plan.strips[0].colors.back() == plan.cells.colors.back());
  CHECK(std::any_of(plan.texts.begin(), plan.texts.end(),
                    [](const PlannedText& text) { return text.text == "sink"; }));
}

TEST_CASE("cells tile their rectangle on whole pixels") {
  PlanLimits limits;
  limits.width = 517;
  limits.height = 391;
  for (const Index count : {1, 6, 13, 64, 128}) {
    const HeatmapPlan plan =
        plan_heatmap(figure_of(Stage::Weights, count, count), FigureStyle::dark(), limits, plain_measure);
    REQUIRE(plan.cells.colors.size() == static_cast<std::size_t>(count * count));
    const Rect first = plan.cell_rect(0, 0), last = plan.cell_rect(count - 1, count - 1);
    CHECK(first.x == plan.cells.rect.x);
    CHECK_THAT(last.right(), WithinAbs(plan.cells.rect.right(), 1e-6));
    CHECK(first.width >= 1);
    CHECK(first.width == std::floor(first.width));
    CHECK(first.width == first.height);
    CHECK(plan.cells.rect.x == std::floor(plan.cells.rect.x));
    CHECK(plan.cells.rect.y == std::floor(plan.cells.rect.y));
  }
}

TEST_CASE("the cell under a point") {
  PlanLimits limits;
  limits.cell_px = 10;
  const HeatmapPlan plan =
      plan_heatmap(figure_of(Stage::Weights, 6, 6), FigureStyle::dark(), limits, plain_measure);
  const Rect cell = plan.cell_rect(2, 4);
  CHECK(plan.cell_at(cell.x + 0.5, cell.y + 0.5).row == 2);
  CHECK(plan.cell_at(cell.x + 9.5, cell.y + 9.5).column == 4);
  CHECK(plan.cell_at(plan.cells.rect.x - 0.5, cell.y).row == -1);
  CHECK(plan.cell_at(plan.cells.rect.right(), cell.y).column == -1);
}

TEST_CASE("numbers stand in the cells only when they fit, with as many decimals as fit") {
  HeatmapFigure figure = figure_of(Stage::Scores, 6, 6);  // the longest number is "−1.2300"
  PlanLimits limits;
  const auto longest_text = [&](double cell_px) {
    limits.cell_px = cell_px;
    std::size_t longest = 0;
    const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
    for (const PlannedText& text : plan.texts) {
      if (!inside_cells(plan, text)) continue;
      longest = std::max(longest, character_count(text.text));
      CHECK(plain_measure(text.text, text.size_px, text.face).width <= cell_px);
    }
    return longest;
  };
  CHECK(longest_text(70) == 7);
  CHECK(longest_text(46) == 6);
  CHECK(longest_text(40) == 5);
  CHECK(longest_text(30) == 0);
  figure.decimals = -1;
  CHECK(longest_text(70) == 0);
}

TEST_CASE("numbers are black or white by the cell they stand on") {
  PlanLimits limits;
  limits.cell_px = 60;
  for (const Stage stage : {Stage::Weights, Stage::Scores}) {
    const HeatmapPlan plan =
        plan_heatmap(figure_of(stage, 6, 6), FigureStyle::light(), limits, plain_measure);
    int numbers = 0;
    for (const PlannedText& text : plan.texts) {
      const HeatmapPlan::Cell at = plan.cell_at(text.x, text.y);
      if (at.row < 0) continue;
      ++numbers;
      CHECK(contrast(text.color, plan.cells.colors[static_cast<std::size_t>(at.row * 6 + at.column)]) >= 4.5);
    }
    CHECK(numbers == 36);
  }
}

TEST_CASE("masked cells are hatched, not coloured") {
  const FigureStyle style = FigureStyle::dark();
  PlanLimits limits;
  limits.cell_px = 60;
  Tile tile = ramp_tile(Stage::Weights, 6, 6, 0, 1);
  mask_future(tile);
  const HeatmapPlan plan = plan_heatmap(stage_figure(tile, tokens(6), 1, ""), style, limits, plain_measure);
  CHECK(plan.cells.colors[1] == style.neutral);
  CHECK(plan.cells.colors[0] != style.neutral);
  REQUIRE_FALSE(plan.hatching.segments.empty());
  CHECK(contrast(plan.hatching.color, style.neutral) > 1.05);
  CHECK(contrast(plan.hatching.color, style.neutral) < 1.5);
  for (Index r = 0; r < 6; ++r)
    for (Index c = 0; c < 6; ++c)
      CHECK((hatched_length(plan.hatching, plan.cell_rect(r, c)) > 1e-6) == (c > r));
}

TEST_CASE("shares are per cent in cells, with the sign where it fits, and zero is a quiet 0") {
  Matrix values(1, 5);
  values << 0.5524f, 0.0001f, 0.9999f, 0.0f, 1.0f;
  HeatmapFigure figure = stage_figure(make_tile(Stage::Weights, values), {}, 1, "");
  figure.range = {0, 1};
  figure.percent = true;
  const auto numbers = [&](double cell) {
    PlanLimits limits;
    limits.cell_px = cell;
    const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
    std::vector<PlannedText> inside;
    for (const PlannedText& text : plan.texts)
      if (plan.cell_at(text.x, text.y).row >= 0) inside.push_back(text);
    return inside;
  };
  const auto texts = [&](double cell) {
    std::vector<std::string> texts;
    for (const PlannedText& text : numbers(cell))
      texts.push_back(text.text);
    return texts;
  };
  CHECK(texts(80) == std::vector<std::string>{"55.2 %", "< 0.1 %", "> 99.9 %", "0", "100 %"});
  CHECK(texts(34) == std::vector<std::string>{"55", "<1", ">99", "0", "100"});
  const std::vector<PlannedText> wide = numbers(80);
  CHECK(contrast(wide[3].color, FigureStyle::dark().background) <
        contrast(wide[1].color, FigureStyle::dark().background));
  figure.percent = false;
  CHECK(texts(80).front() == "0.5524");
}

TEST_CASE("a bar of shares is labelled as per cent, and its title says of what") {
  for (const double height : {60.0, 120.0, 400.0}) {
    const std::vector<BarTick> ticks = bar_ticks({0, 1}, height, 14, true);
    CHECK(ticks.front().label == "0");
    CHECK(ticks.back().label == "100 %");
    CHECK(ticks.back().value == 1);
    for (const BarTick& tick : ticks)
      CHECK((tick.value >= 0 && tick.value <= 1));
  }
  CHECK(bar_title("share of attention", {0, 1}, true) == "share of attention, 0 to 100 %");
  CHECK(bar_title("share of attention", {0, 0.6}, true) == "share of attention, %");
  CHECK(bar_title("share of attention", {0, 0.6}, false) == "share of attention");
  Tile tile = ramp_tile(Stage::Weights, 6, 6, 0, 1);
  HeatmapFigure figure = stage_figure(tile, tokens(6), 1, "");
  figure.percent = true;
  figure.range = {0, 1};
  PlanLimits limits;
  limits.cell_px = 62;
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::light(), limits, plain_measure);
  const auto titles = texts_named(plan, "share of attention, 0 to 100 %");
  REQUIRE(titles.size() == 1);
  CHECK(titles.front()->angle_deg == 90);
  CHECK(titles.front()->x + titles.front()->size_px / 2 <= plan.width + 1);
  for (const PlannedText& text : plan.texts)
    if (text.x > plan.cells.rect.right() && text.angle_deg == 0)
      CHECK(text.x + plain_measure(text.text, text.size_px, text.face).width <=
            titles.front()->x - titles.front()->size_px / 2 + 1);
}

TEST_CASE("hatching has one angle and one pitch, whatever the cells' size and shape") {
  for (const double scale : {1.0, 2.0})
    for (const auto& [width, height] : {std::pair{60.0, 60.0}, {60.0, 24.0}, {9.0, 9.0}, {100.0, 100.0}}) {
      FigureStyle style = FigureStyle::light();
      style.label_size_px *= scale;
      PlanLimits limits;
      limits.cell_px = width * scale;
      limits.cell_height_px = height * scale;
      Tile tile = ramp_tile(Stage::Weights, 6, 6, 0, 1);
      mask_future(tile);
      const HeatmapPlan plan =
          plan_heatmap(stage_figure(tile, tokens(6), 1, ""), style, limits, plain_measure);
      std::set<long> lines;
      for (const auto& [from, to] : plan.hatching.segments) {
        CHECK(to.x > from.x);
        CHECK_THAT(to.x - from.x, WithinAbs(from.y - to.y, 1e-6));
        const double number = (from.x + from.y) / (kHatchPitch * scale * std::numbers::sqrt2);
        CHECK_THAT(number, WithinAbs(std::round(number), 1e-6));
        lines.insert(std::lround(number));
      }
      // One region of one mask: each line crosses it once, and none is left out between the first and the
      // last.
      CHECK(lines.size() == plan.hatching.segments.size());
      CHECK(static_cast<std::size_t>(*lines.rbegin() - *lines.begin() + 1) == lines.size());
    }
}

TEST_CASE("hatching of scattered cells stays inside them") {
  Tile tile = ramp_tile(Stage::Weights, 5, 7, 0, 1);
  std::vector<std::pair<Index, Index>> hidden = {{0, 0}, {0, 6}, {2, 3}, {3, 3}, {4, 1}, {4, 6}};
  for (const auto& [row, column] : hidden)
    tile.marks[static_cast<std::size_t>(row * 7 + column)] = CellMark::Masked;
  PlanLimits limits;
  limits.cell_px = 31;
  const HeatmapPlan plan =
      plan_heatmap(stage_figure(tile, tokens(7), 1, ""), FigureStyle::dark(), limits, plain_measure);
  double inside = 0, all = 0;
  for (Index r = 0; r < 5; ++r)
    for (Index c = 0; c < 7; ++c)
      if (tile.mark(r, c) == CellMark::Masked) inside += hatched_length(plan.hatching, plan.cell_rect(r, c));
  for (const auto& [from, to] : plan.hatching.segments)
    all += to.x - from.x;
  CHECK(all > 0);
  CHECK_THAT(inside, WithinAbs(all, 1e-6));
}

TEST_CASE("pictures too small for a pattern have none") {
  Tile tile = ramp_tile(Stage::Weights, 6, 6, 0, 1);
  mask_future(tile);
  PlanLimits limits;
  limits.cell_px = 5;
  const HeatmapPlan plan =
      plan_heatmap(stage_figure(tile, tokens(6), 1, ""), FigureStyle::dark(), limits, plain_measure);
  CHECK(plan.hatching.segments.empty());
}

TEST_CASE("masked scores show minus infinity between the hatching") {
  Tile tile = ramp_tile(Stage::Masked, 6, 6, -1, 1);
  mask_future(tile);
  PlanLimits limits;
  limits.cell_px = 60;
  const HeatmapPlan plan =
      plan_heatmap(stage_figure(tile, tokens(6), 1, ""), FigureStyle::dark(), limits, plain_measure);
  CHECK(texts_named(plan, "\u2212\u221E").size() == 15);
}

TEST_CASE("hatching stays a few lines however many cells are masked") {
  PlanLimits limits;
  limits.cell_px = 2;
  const HeatmapPlan plan =
      plan_heatmap(figure_of(Stage::Masked, 512, 512), FigureStyle::dark(), limits, plain_measure);
  CHECK(plan.hatching.segments.size() > 100);
  CHECK(plan.hatching.segments.size() < 250);
}

TEST_CASE("dropped cells are empty squares") {
  Tile tile = ramp_tile(Stage::Dropped, 6, 6, 0, 1);
  tile.marks[8] = tile.marks[20] = CellMark::Dropped;
  PlanLimits limits;
  limits.cell_px = 30;
  const HeatmapPlan plan =
      plan_heatmap(stage_figure(tile, tokens(6), 1, ""), FigureStyle::light(), limits, plain_measure);
  CHECK(plan.cells.colors[8] == FigureStyle::light().neutral);
  int squares = 0;
  for (const PlannedBox& box : plan.boxes) {
    const HeatmapPlan::Cell at =
        plan.cell_at(box.rect.x + box.rect.width / 2, box.rect.y + box.rect.height / 2);
    if (box.rect.width != box.rect.height || box.rect.width > 30) continue;  // frame, colour bar
    ++squares;
    CHECK((at.row * 6 + at.column == 8 || at.row * 6 + at.column == 20));
  }
  CHECK(squares == 2);
}

TEST_CASE("NaN and infinity are symbols, never a colour of the scale") {
  const FigureStyle style = FigureStyle::dark();
  Tile tile = ramp_tile(Stage::Scores, 6, 6, -1, 1);
  tile.values(1, 0) = NAN;
  tile.values(2, 0) = INFINITY;
  set_range(tile);
  PlanLimits limits;
  limits.cell_px = 40;
  const HeatmapFigure figure = stage_figure(tile, tokens(6), 1, "");
  const HeatmapPlan large = plan_heatmap(figure, style, limits, plain_measure);
  CHECK(texts_named(large, "NaN").size() == 1);
  CHECK(texts_named(large, "\u221E").size() == 1);
  CHECK(large.cells.colors[6] == style.neutral);
  limits.cell_px = 4;
  const HeatmapPlan small = plan_heatmap(figure, style, limits, plain_measure);
  CHECK(texts_named(small, "NaN").empty());
  CHECK(small.cells.colors[6] == style.error);
  CHECK(small.cells.colors[12] == style.error);
}

TEST_CASE("column labels turn as the cells narrow, and are thinned rather than dropped") {
  const auto angle_and_count = [](Index count, double cell_px) {
    PlanLimits limits;
    limits.cell_px = cell_px;
    HeatmapFigure figure = figure_of(Stage::Weights, count, count);
    figure.row_labels.clear();
    const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
    int labels = 0;
    double angle = -1;
    for (const PlannedText& text : plan.texts)
      if (text.color == FigureStyle::dark().text && text.size_px == 12 && text.face == FontFace::Text) {
        ++labels;
        angle = text.angle_deg;
      }
    return std::pair(angle, labels);
  };
  CHECK(angle_and_count(6, 64) == std::pair(0.0, 6));
  CHECK(angle_and_count(6, 24) == std::pair(45.0, 6));
  CHECK(angle_and_count(6, 16) == std::pair(90.0, 6));
  CHECK(angle_and_count(60, 8) == std::pair(90.0, 30));
  CHECK(angle_and_count(500, 1) == std::pair(90.0, 34));  // every 15th column: a line is 14.4 px
}

TEST_CASE("the labels of the selected row and column stay, and those that would touch them give way") {
  HeatmapFigure figure = figure_of(Stage::Weights, 90, 90);
  figure.row_labels.clear();
  for (int i = 0; i < 90; ++i)
    figure.row_labels.push_back("r" + std::to_string(i));
  PlanLimits limits;
  limits.cell_px = 5;
  const HeatmapPlan before = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
  REQUIRE(texts_named(before, "r41").empty());
  REQUIRE(texts_named(before, "r42").size() == 1);
  figure.selected_row = 41;
  figure.column_labels[43] = "chosen";
  figure.selected_column = 43;
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
  CHECK(texts_named(plan, "r41").size() == 1);
  CHECK(texts_named(plan, "r42").empty());
  CHECK(texts_named(plan, "r36").size() == 1);
  CHECK(texts_named(plan, "chosen").size() == 1);
  CHECK(layout_fault(plan, plain_measure) == "");
}

TEST_CASE("columns below: their labels and their name stand under the cells, turned as they need to be") {
  for (const double cell_px : {64.0, 24.0, 16.0, 5.0}) {
    INFO(cell_px);
    HeatmapFigure figure = figure_of(Stage::Weights, 7, 7);
    figure.columns_below = true;
    PlanLimits limits;
    limits.cell_px = cell_px;
    limits.padding_px = 4;
    const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
    CHECK(layout_fault(plan, plain_measure) == "");
    REQUIRE(texts_named(plan, "key").size() == 1);
    CHECK(texts_named(plan, "key").front()->y > plan.cells.rect.bottom());
    int below = 0;
    for (const PlannedText* text : texts_named(plan, "Your"))
      below += text->y > plan.cells.rect.bottom() ? 1 : 0;
    CHECK(below == 1);
  }
}

TEST_CASE("dimensions are numbered, thinned to round numbers") {
  PlanLimits limits;
  limits.cell_px = 3;
  limits.cell_height_px = 20;
  const auto planned = [&limits](Counting counting) {
    HeatmapFigure figure =
        stage_figure(ramp_tile(Stage::Embeddings, 4, 100, -1, 1), tokens(4), 1, "", {}, counting);
    figure.show_colorbar = false;
    return plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
  };
  const HeatmapPlan from_zero = planned({0}), from_one = planned({1});
  CHECK(texts_named(from_zero, "0").size() == 1);
  CHECK(texts_named(from_zero, "20").size() == 1);
  CHECK(texts_named(from_zero, "100").empty());
  CHECK(texts_named(from_one, "20").size() == 1);
  CHECK(texts_named(from_one, "100").size() == 1);
  CHECK(texts_named(from_one, "1").empty());
}

TEST_CASE("however small a picture, its cells have a good part of it, or the labels go") {
  HeatmapFigure figure = figure_of(Stage::Weights, 96, 96);
  figure.row_labels.clear();
  for (int i = 0; i < 96; ++i)
    figure.row_labels.push_back("token" + std::to_string(900 + i));
  figure.column_labels = figure.row_labels;
  for (int width = 60; width <= 240; width += 3)
    for (int height = 50; height <= 140; height += 3) {
      PlanLimits limits;
      limits.width = width;
      limits.height = height;
      limits.show_title = false;
      const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
      INFO(width << " x " << height);
      REQUIRE(plan.cells.rect.width >= 0.25 * std::min(width, height));
    }
}

TEST_CASE("a picture beside another one has what that one has around its cells") {
  HeatmapFigure figure = figure_of(Stage::Weights, 6, 6);
  PlanLimits limits;
  limits.width = 130;
  limits.height = 120;
  const HeatmapPlan first = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
  PlanLimits beside;
  beside.cell_px = first.cells.rect.width / 6;
  beside.min_cells_top = first.cells.rect.y;
  beside.detail = first.detail;
  const HeatmapPlan second = plan_heatmap(figure, FigureStyle::dark(), beside, plain_measure);
  CHECK(second.detail == first.detail);
  CHECK(second.cells.rect == first.cells.rect);
}

TEST_CASE("labels keep to the matrix when a part of it is shown") {
  HeatmapFigure figure = figure_of(Stage::Weights, 5, 5);
  Tile part = *figure.tile;
  part.request.row_begin = 4;
  part.request.row_end = 9;
  figure.tile = std::make_shared<const Tile>(part);
  figure.row_labels = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"};
  PlanLimits limits;
  limits.cell_px = 20;
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
  REQUIRE(texts_named(plan, "r4").size() == 1);
  CHECK(texts_named(plan, "r4").front()->y == plan.cell_rect(0, 0).y + 10);
  CHECK(texts_named(plan, "r3").empty());
  CHECK(texts_named(plan, "r9").empty());
}

TEST_CASE("labels of pooled cells stand at round places of the whole matrix") {
  HeatmapFigure figure = figure_of(Stage::Weights, 64, 64);
  Tile part = *figure.tile;
  part.pooled = true;
  part.request.row_begin = 137;
  part.request.row_end = 937;
  figure.tile = std::make_shared<const Tile>(part);
  figure.row_labels.clear();
  for (int i = 0; i < 1000; ++i)
    figure.row_labels.push_back("r" + std::to_string(i));
  PlanLimits limits;
  limits.cell_px = 2;
  const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
  for (const char* round : {"r200", "r400", "r600", "r800"})
    REQUIRE(texts_named(plan, round).size() == 1);
  // A cell pools 12.5 rows and is 2 pixels high.
  const double y = texts_named(plan, "r400").front()->y;
  CHECK(std::abs(y - (plan.cells.rect.y + plan.cells.rect.height * (400.5 - 137) / 800)) <= 2);
}

TEST_CASE("ticks of the colour bar are round and inside the range") {
  const std::vector<BarTick> ticks = bar_ticks({-1.5, 1.5}, 200, 14);
  REQUIRE(ticks.size() >= 3);
  CHECK(ticks.front().label == "\u22121.5");
  CHECK(ticks.back().label == "1.5");
  bool zero = false;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (i > 0) CHECK(ticks[i].value - ticks[i - 1].value >= 3.0 * 14 / 200);
    zero |= ticks[i].label == "0.0";
  }
  CHECK(zero);
  CHECK(bar_ticks({0, 0.23456}, 300, 14).back().label == "0.235");
  CHECK(bar_ticks({0, 3e-9}, 300, 14).back().label == "3.0e-09");
  CHECK(bar_ticks({0, 1}, 20, 14).size() == 2);
}

TEST_CASE(
    "heatmap plan: a logarithmic scale is said beside the bar, and longest of all that the title says") {
  CHECK(bar_title("share of attention", {0.001, 1, true}, true) == "share of attention, %, log scale");
  CHECK(bar_title("share of attention", {0.001, 1, true}, false) == "share of attention, log scale");
  CHECK(bar_title("", {0.001, 1, true}, true).empty());
  const auto title_at = [](double height, const ColorRange& range) {
    HeatmapPlan plan;
    plan.cells.rect = {0, 0, 100, 100};
    add_bar(plan, range, Colormap::viridis(), height, {false, "share of attention"}, FigureStyle::light(),
            plain_measure);
    for (const PlannedText& text : plan.texts)
      if (text.angle_deg == 90) return text.text;
    return std::string();
  };
  CHECK(title_at(400, {0.001, 1, true}) == "share of attention, log scale");
  CHECK(title_at(100, {0.001, 1, true}) == "log scale");
  CHECK(title_at(400, {0, 1}) == "share of attention");
}
