// Attention as lines: their pairs, their opacity, and the emphasis of the selection.
#include "app/figure/plan/flow_plan.h"

#include <algorithm>

#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

FlowFigure causal_flow(Index count, std::size_t heads = 1) {
  FlowFigure figure;
  figure.queries = figure.keys = tokens(count);
  for (std::size_t h = 0; h < heads; ++h) {
    FlowHead head;
    head.name = "head " + std::to_string(h + 1);
    head.series = h % 8;
    Tile tile = ramp_tile(Stage::Weights, count, count, 0.1f, 1.0f);
    mask_future(tile);
    head.weights = tile.values;
    head.marks = tile.marks;
    figure.heads.push_back(std::move(head));
  }
  return figure;
}

FlowPlan planned(const FlowFigure& figure, double width = 600, double height = 220) {
  return plan_flow(figure, FigureStyle::dark(), width, height, plain_measure);
}

const FlowPlan::Line* line_of(const FlowPlan& plan, std::size_t head, Index query, Index key) {
  for (const FlowPlan::Line& line : plan.lines)
    if (line.head == head && line.query == query && line.key == key) return &line;
  return nullptr;
}

// The band that draws a line.
PlannedBand band_of(const FlowPlan& plan, std::size_t head, Index query, Index key) {
  const FlowPlan::Line* line = line_of(plan, head, query, key);
  REQUIRE(line);
  for (const PlannedBand& band : plan.drawing.bands)
    if (band.path.from.x == line->x1 && band.path.from.y == line->y1 && band.path.to.y == line->y2)
      return band;
  FAIL("the line is not drawn");
  return {};
}

std::vector<std::string> numbers_in(const FlowPlan& plan) {
  std::vector<std::string> numbers;
  for (const PlannedText& text : plan.drawing.texts)
    if (text.face == FontFace::Number) numbers.push_back(text.text);
  return numbers;
}

}  // namespace

TEST_CASE("flow plan: a line for each pair that may attend, from its query to its key") {
  const FlowPlan plan = planned(causal_flow(4));
  CHECK(plan.lines.size() == 10);
  CHECK(line_of(plan, 0, 3, 1));
  CHECK_FALSE(line_of(plan, 0, 1, 3));
  const FlowPlan::Line& line = *line_of(plan, 0, 3, 1);
  CHECK(plan.query_at(plan.queries.right() - 1, line.y1) == 3);
  CHECK(plan.key_at(plan.keys.x + 1, line.y2) == 1);
  CHECK(line.x1 == plan.between.x);
  CHECK(line.x2 == plan.between.right());
}

TEST_CASE("flow plan: dropped weights and what is not a number have no line") {
  FlowFigure figure = causal_flow(3);
  figure.heads[0].marks[3] = CellMark::Dropped;
  figure.heads[0].weights(2, 2) = NAN;
  const FlowPlan plan = planned(figure);
  CHECK(plan.lines.size() == 4);
  CHECK_FALSE(line_of(plan, 0, 1, 0));
  CHECK_FALSE(line_of(plan, 0, 2, 2));
}

TEST_CASE("flow plan: a stronger weight is thicker and less transparent, and drawn later") {
  const FlowPlan plan = planned(causal_flow(4));
  const PlannedBand weak = band_of(plan, 0, 0, 0), strong = band_of(plan, 0, 3, 3);
  CHECK(strong.width > weak.width);
  CHECK(strong.color.a > weak.color.a);
  CHECK(std::is_sorted(plan.lines.begin(), plan.lines.end(),
                       [](const auto& a, const auto& b) { return a.strength < b.strength; }));
}

TEST_CASE("flow plan: equal weights have fainter lines than those that stand out, which keep theirs") {
  FlowFigure equal = causal_flow(6), peaked = causal_flow(6);
  equal.heads[0].weights.setConstant(0.2f);
  equal.strongest = 0.2;
  peaked.heads[0].weights.setConstant(0.01f);
  peaked.heads[0].weights.col(0).setConstant(0.9f);
  peaked.strongest = 0.9;
  const int faint = band_of(planned(equal), 0, 5, 0).color.a,
            strong = band_of(planned(peaked), 0, 5, 0).color.a;
  CHECK(faint < 0.8 * strong);
  CHECK(faint > 80);
  CHECK(strong > 220);
}

TEST_CASE("flow plan: heads have lines and colours of their own") {
  const FlowPlan plan = planned(causal_flow(4, 3));
  CHECK(plan.lines.size() == 30);
  CHECK(line_of(plan, 0, 2, 1)->y1 < line_of(plan, 1, 2, 1)->y1);
  CHECK(line_of(plan, 1, 2, 1)->y1 < line_of(plan, 2, 2, 1)->y1);
  const Color first = band_of(plan, 0, 2, 1).color, second = band_of(plan, 1, 2, 1).color;
  CHECK_FALSE((first.r == second.r && first.g == second.g && first.b == second.b));
}

TEST_CASE("flow plan: a token that stands out keeps its lines, and their weights are written") {
  FlowFigure figure = causal_flow(4);
  CHECK(numbers_in(planned(figure)).empty());
  figure.query = 3;
  FlowPlan plan = planned(figure);
  CHECK(band_of(plan, 0, 3, 0).color.a > 3 * band_of(plan, 0, 2, 2).color.a);
  std::vector<std::string> expected;
  for (Index key = 0; key < 4; ++key)
    expected.push_back(number_text(figure.heads[0].weights(3, key), 4));
  CHECK(numbers_in(plan) == expected);

  figure.query = -1;
  figure.key = 2;
  plan = planned(figure);
  CHECK(band_of(plan, 0, 3, 2).color.a > 3 * band_of(plan, 0, 3, 0).color.a);
  CHECK(numbers_in(plan).size() == 2);  // queries 3 and 4; key 2 is masked for the others
}

TEST_CASE("flow plan: the ground of a token that stands out reaches beyond its label, and not to the lines") {
  FlowFigure figure = causal_flow(4);
  figure.query = 3;
  figure.key = 1;
  const FlowPlan plan = planned(figure);
  REQUIRE(plan.drawing.fills.size() == 2);
  const Rect &query = plan.drawing.fills[0].rect, &key = plan.drawing.fills[1].rect;
  CHECK(query.right() >= plan.queries.right() + 3);
  CHECK(query.right() < plan.between.x);
  CHECK(key.x <= plan.keys.x - 3);
  CHECK(key.x > plan.between.right());
}

TEST_CASE("flow plan: many heads write their mean") {
  FlowFigure figure = causal_flow(3, 6);
  figure.heads[0].weights(2, 0) += 0.6f;
  figure.query = 2;
  const double mean = static_cast<double>(figure.heads[1].weights(2, 0)) + 0.1;
  CHECK(numbers_in(planned(figure)).front() == number_text(mean, 4));
}

TEST_CASE("flow plan: one line that stands out has the accent and leaves the others be") {
  FlowFigure figure = causal_flow(4, 2);
  const PlannedBand before = band_of(planned(figure), 0, 2, 2);
  figure.query = 2;
  figure.key = 1;
  figure.head = 1;
  const FlowPlan plan = planned(figure);
  CHECK(band_of(plan, 1, 2, 1).color == FigureStyle::dark().accent);
  CHECK_FALSE(band_of(plan, 0, 2, 1).color == FigureStyle::dark().accent);
  CHECK(band_of(plan, 0, 2, 2).color == before.color);
}

TEST_CASE("flow plan: the line near a point is found, and none far from all") {
  const FlowPlan plan = planned(causal_flow(4));
  const FlowPlan::Line& line = *line_of(plan, 0, 3, 0);
  const Point on = point_on(line.path(), 0.25);
  const Index found = plan.line_at(on.x, on.y, 4);
  REQUIRE(found >= 0);
  CHECK(plan.lines[static_cast<std::size_t>(found)].query == 3);
  CHECK(plan.lines[static_cast<std::size_t>(found)].key == 0);
  CHECK(plan.line_at(plan.between.right(), plan.between.y + plan.pitch * 0.02, 1) == -1);
}

TEST_CASE("flow plan: each line leaves its query and reaches its key level, also where it is pointed at") {
  const FlowPlan plan = planned(causal_flow(4), 600, 500);
  REQUIRE(plan.drawing.bands.size() == plan.lines.size());
  for (const PlannedBand& band : plan.drawing.bands) {
    CHECK(band.path.from_control.y == band.path.from.y);
    CHECK(band.path.to_control.y == band.path.to.y);
    CHECK(band.path.from.x == plan.between.x);
    CHECK(band.path.to.x == plan.between.right());
  }
  // Where a straight line would be there is none, and beside it, on the curve, there is.
  const FlowPlan::Line& line = *line_of(plan, 0, 3, 0);
  const double x = std::lerp(line.x1, line.x2, 0.15), straight = std::lerp(line.y1, line.y2, 0.15);
  const Index far = plan.line_at(x, straight, 6);
  CHECK((far < 0 || plan.lines[static_cast<std::size_t>(far)].key != 0));
  CHECK(plan.line_at(x, line.y1, 12) >= 0);
}

namespace {

// The ends of a token's lines, from the top down: place and width.
std::vector<std::pair<double, double>> ends_of(const FlowPlan& plan, bool at_queries, Index token) {
  std::vector<std::pair<double, double>> ends;
  for (const FlowPlan::Line& line : plan.lines)
    if ((at_queries ? line.query : line.key) == token)
      ends.emplace_back(at_queries ? line.y1 : line.y2, at_queries ? line.width : line.to_width);
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace

TEST_CASE(
    "flow plan: the ends of a token's lines touch and do not overlap, in as much as its row has room for") {
  for (const std::size_t heads : {1, 2, 8}) {
    FlowFigure figure = causal_flow(6, heads);
    for (FlowHead& head : figure.heads)
      for (Index row = 0; row < 6; ++row)
        head.weights.row(row) /= head.weights.row(row).sum();
    const FlowPlan plan = planned(figure, 600, 260);
    for (const bool at_queries : {true, false})
      for (Index token = 0; token < 6; ++token) {
        const auto ends = ends_of(plan, at_queries, token);
        REQUIRE(ends.size() == heads * static_cast<std::size_t>(at_queries ? token + 1 : 6 - token));
        double all = ends.front().second;
        for (std::size_t i = 1; i < ends.size(); ++i) {
          CHECK_THAT(ends[i].first - ends[i - 1].first,
                     WithinAbs((ends[i].second + ends[i - 1].second) / 2, 1e-9));
          all += ends[i].second;
        }
        CHECK(all <= 0.8 * plan.pitch + 1e-6);
      }
    // A width is a weight, at all queries alike.
    for (const FlowPlan::Line& line : plan.lines)
      if (line.strength > 0.2) CHECK_THAT(line.width, WithinAbs(line.strength * plan.thickest, 1e-6));
  }
}

TEST_CASE("flow plan: negative weights are dashed") {
  FlowFigure figure = causal_flow(2);
  CHECK(planned(figure).drawing.curves.empty());
  figure.heads[0].weights(1, 0) = -0.5f;
  const FlowPlan plan = planned(figure);
  REQUIRE(plan.drawing.curves.size() == 1);
  CHECK(plan.drawing.bands.size() == 2);
  CHECK(plan.drawing.curves[0].dash > 2);
  CHECK(plan.drawing.curves[0].path.from.y == line_of(plan, 0, 1, 0)->y1);
}

TEST_CASE("flow plan: the picture holds all of it at any size") {
  FlowFigure figure = causal_flow(7, 2);
  figure.query = 6;
  for (const double width : {120.0, 300.0, 640.0, 1900.0})
    for (const double height : {60.0, 140.0, 600.0}) {
      INFO(width << " x " << height);
      const FlowPlan plan = planned(figure, width, height);
      CHECK(plan.queries.x >= 0);
      CHECK(plan.queries.right() <= plan.between.x);
      CHECK(plan.between.right() <= plan.keys.x);
      CHECK(plan.keys.right() <= width + 0.01);
      CHECK(plan.keys.bottom() <= height + 0.01);
    }
}

TEST_CASE("flow plan: of many thousands of lines the strongest are drawn, and the rest counted") {
  const FlowFigure figure = causal_flow(60, 4);
  const FlowPlan plan = planned(figure, 900, 1100);
  CHECK(plan.lines.size() == 3000);
  CHECK(plan.lines_hidden == 4 * 60 * 61 / 2 - 3000);
  CHECK(line_of(plan, 0, 59, 59));
  CHECK_FALSE(line_of(plan, 0, 0, 0));
}

TEST_CASE("flow plan: as many tokens fit as can be read") {
  const FigureStyle style = FigureStyle::dark();
  const Index few = flow_capacity(220, style), many = flow_capacity(700, style);
  CHECK(few >= 10);
  CHECK(many > 2 * few);
  CHECK(flow_capacity(5, style) == 1);
  CHECK(planned(causal_flow(many), 600, 700).pitch >= 15);
}

TEST_CASE("flow plan: nothing to show is an empty picture") {
  CHECK(planned({}).drawing.texts.empty());
}

TEST_CASE(
    "flow plan: tokens too many for labels keep those that stand out and those of the strongest lines") {
  FlowFigure figure = causal_flow(300);
  for (std::size_t i = 0; i < 300; ++i)
    figure.queries[i] = figure.keys[i] = "t" + std::to_string(i);
  figure.heads[0].weights.setConstant(0.1f);
  figure.heads[0].weights(200, 77) = 1.0f;
  const auto shown = [&](double x, const FlowPlan& plan) {
    std::vector<std::string> labels;
    for (const PlannedText& text : plan.drawing.texts)
      if (text.x == x && text.text.starts_with("t")) labels.push_back(text.text);
    return labels;
  };
  const auto has = [](const std::vector<std::string>& labels, const char* label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  const FlowPlan plan = planned(figure, 600, 500);
  CHECK(has(shown(plan.queries.right(), plan), "t200"));
  CHECK(has(shown(plan.keys.x, plan), "t77"));
  figure.query = 201;
  const FlowPlan chosen = planned(figure, 600, 500);
  CHECK(has(shown(chosen.queries.right(), chosen), "t201"));
  CHECK_FALSE(has(shown(chosen.queries.right(), chosen), "t200"));
  for (const FlowPlan* each : {&plan, &chosen}) {
    double last = -1000;
    std::size_t count = 0;
    for (const PlannedText& text : each->drawing.texts) {
      if (text.x != each->keys.x || !text.text.starts_with("t")) continue;
      CHECK(text.y - last >= line_height(text.size_px) - 1e-6);
      last = text.y;
      ++count;
      CHECK(text.y <= 500);
    }
    CHECK(count > 12);
  }
}
