// The layered picture of edges: its nodes and lines, the threshold, and what is found under the pointer.
#include "app/figure/plan/edges_plan.h"

#include <algorithm>

#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"

using namespace headlight_test;

namespace {

using End = EdgeEnd::Kind;

// Two layers of four heads, whose keys and values have two.
LayeredEdges grouped_edges(bool parallel = false) {
  LayeredEdges figure;
  figure.layers = 2;
  figure.heads = 4;
  figure.key_heads = 2;
  figure.parallel = parallel;
  figure.edges = {{{End::Embedding, 0, 0}, {End::Logits, 2, 0}, -0.8},
                  {{End::Head, 0, 1}, {End::Queries, 1, 3}, 0.4},
                  {{End::Head, 0, 0}, {End::Keys, 1, 1}, 0.2},
                  {{End::Mlp, 0, 0}, {End::Values, 1, 0}, -0.1},
                  {{End::Mlp, 1, 0}, {End::Logits, 2, 0}, 0.05}};
  figure.shown = 4;
  figure.quantity = "change of the logit";
  figure.kept = {0, 1, 2, 4, 5};
  figure.carried = {0, 0.5, 0.7421, 1.125, 1};
  return figure;
}

EdgesPlan planned_edges(const LayeredEdges& figure, double width = 900, double height = 500) {
  return plan_edges(figure, FigureStyle::light(), width, height, plain_measure);
}

const EdgesPlan::Node& node_of(const EdgesPlan& plan, const EdgeEnd& end) {
  for (const EdgesPlan::Node& node : plan.nodes)
    if (node.end == end) return node;
  FAIL("there is no such node");
  return plan.nodes.front();
}

bool has_text(const EdgesPlan& plan, const std::string& text) {
  return std::any_of(plan.drawing.texts.begin(), plan.drawing.texts.end(),
                     [&](const PlannedText& one) { return one.text == text; });
}

}  // namespace

TEST_CASE("edges plan: the embedding is at the bottom, layers go upward, and the logits are at the top") {
  const EdgesPlan plan = planned_edges(grouped_edges());
  CHECK(plan.nodes.size() == 2 + 2 * (4 + 1));
  const auto y = [&](const EdgeEnd& end) { return node_of(plan, end).rect.y; };
  CHECK(y({End::Embedding, 0, 0}) > y({End::Head, 0, 0}));
  CHECK(y({End::Head, 0, 0}) == y({End::Head, 0, 3}));
  CHECK(y({End::Head, 0, 0}) > y({End::Mlp, 0, 0}));
  CHECK(y({End::Mlp, 0, 0}) > y({End::Head, 1, 0}));
  CHECK(y({End::Mlp, 1, 0}) > y({End::Logits, 2, 0}));
  for (Index head = 1; head < 4; ++head)
    CHECK(node_of(plan, {End::Head, 0, head}).rect.x > node_of(plan, {End::Head, 0, head - 1}).rect.right());
  const EdgesPlan beside = planned_edges(grouped_edges(true));
  CHECK(node_of(beside, {End::Mlp, 0, 0}).rect.y == node_of(beside, {End::Head, 0, 0}).rect.y);
}

TEST_CASE(
    "edges plan: only the strongest have a line, the stronger the thicker, in the colour of their sign") {
  const LayeredEdges figure = grouped_edges();
  const EdgesPlan plan = planned_edges(figure);
  REQUIRE(plan.lines.size() == 4);
  REQUIRE(plan.lines_drawing.curves.size() == 4);
  for (std::size_t i = 1; i < plan.lines.size(); ++i) {
    CHECK(plan.lines[i].edge + 1 == plan.lines[i - 1].edge);  // the strongest last
    CHECK(plan.lines[i].width > plan.lines[i - 1].width);
  }
  const auto color_of = [&](std::size_t edge) { return plan.lines_drawing.curves[3 - edge].color; };
  const auto same = [](Color a, Color b) { return a.r == b.r && a.g == b.g && a.b == b.b; };
  CHECK(same(color_of(0), color_of(3)));
  CHECK(same(color_of(1), color_of(2)));
  CHECK_FALSE(same(color_of(0), color_of(1)));
  CHECK_FALSE(node_of(plan, {End::Mlp, 1, 0}).touched);  // its edge is the fifth
  LayeredEdges all = figure;
  all.shown = 5;
  CHECK(node_of(planned_edges(all), {End::Mlp, 1, 0}).touched);
  all.shown = 0;
  CHECK(planned_edges(all).lines.empty());
}

TEST_CASE("edges plan: a line goes from its sender up to its receiver, and grouped keys serve their heads") {
  const EdgesPlan plan = planned_edges(grouped_edges());
  for (const EdgesPlan::Line& line : plan.lines)
    CHECK(line.path.from.y > line.path.to.y);
  const auto touched = [&](Index layer, Index head) {
    return node_of(plan, {End::Head, layer, head}).touched;
  };
  CHECK(touched(0, 0));
  CHECK(touched(0, 1));
  CHECK_FALSE(touched(0, 2));
  for (Index head = 0; head < 4; ++head)
    CHECK(touched(1, head));  // keys 1 are those of the heads 2 and 3, values 0 those of 0 and 1
  const EdgesPlan::Line& queries = plan.lines[2];
  const Rect& node = node_of(plan, {End::Head, 1, 3}).rect;
  CHECK_THAT(queries.path.to.y, WithinAbs(node.bottom(), 1e-6));
  CHECK(queries.path.to.x >= node.x);
  CHECK(queries.path.to.x < node.x + node.width / 2);
  const EdgesPlan::Line& keys = plan.lines[1];  // between the heads 2 and 3
  CHECK(keys.path.to.x > node_of(plan, {End::Head, 1, 2}).rect.right());
  CHECK(keys.path.to.x < node.x);
}

TEST_CASE("edges plan: a line and a node are found under the pointer") {
  const EdgesPlan plan = planned_edges(grouped_edges());
  for (const EdgesPlan::Line& line : plan.lines) {
    const Point on = point_on(line.path, 0.3);
    const EdgesPlan::Line* const found = plan.line_at(on.x, on.y, 3);
    REQUIRE(found);
    CHECK(found->edge <= line.edge);  // where two cross, the stronger
  }
  CHECK_FALSE(plan.line_at(-50, -50, 3));
  const Rect& head = node_of(plan, {End::Head, 1, 2}).rect;
  const EdgesPlan::Node* const node = plan.node_at(head.x + 1, head.y + 1);
  REQUIRE(node);
  CHECK(node->end == EdgeEnd{End::Head, 1, 2});
  CHECK_FALSE(plan.node_at(-1, -1));
}

TEST_CASE("edges plan: what the kept edges carry is told of the runs that were computed, and of no other") {
  LayeredEdges figure = grouped_edges();
  figure.shown = 2;
  CHECK(carried_text(figure) == "2 edges carry 0.7421");
  figure.shown = 3;
  CHECK(carried_text(figure) == "2 edges carry 0.7421, 4 carry 1.1250");
  CHECK(has_text(planned_edges(figure), carried_text(figure)));
  figure.shown = 5;
  CHECK(carried_text(figure) == "5 edges carry 1.0000");
  figure.carried.assign(5, NAN);  // A and B have the same number
  CHECK(carried_text(figure).empty());
  CHECK_FALSE(planned_edges(figure).curve);
}

TEST_CASE(
    "edges plan: the curve has a dot for each run and a mark at the threshold, and goes where there is no "
    "room") {
  LayeredEdges figure = grouped_edges();
  const EdgesPlan plan = planned_edges(figure);
  REQUIRE(plan.curve);
  const auto inside = [&](const PlannedDot& dot) {
    return dot.x >= plan.curve->x - 0.1 && dot.x <= plan.curve->right() + 0.1 &&
           dot.y >= plan.curve->y - 0.1 && dot.y <= plan.curve->bottom() + 0.1;
  };
  CHECK(std::count_if(plan.drawing.dots.begin(), plan.drawing.dots.end(), inside) == 5);
  const auto mark_x = [&](std::size_t shown) {
    figure.shown = shown;
    const EdgesPlan now = planned_edges(figure);
    const auto mark = std::find_if(now.drawing.lines.begin(), now.drawing.lines.end(),
                                   [](const PlannedLine& line) { return line.x1 == line.x2; });
    REQUIRE(mark != now.drawing.lines.end());
    return mark->x1;
  };
  CHECK(mark_x(0) == plan.curve->x);
  CHECK_THAT(mark_x(2), WithinAbs(plan.curve->x + plan.curve->width / 2, 1e-6));
  CHECK(mark_x(3) > mark_x(2));
  CHECK(mark_x(3) < mark_x(4));
  CHECK_THAT(mark_x(5), WithinAbs(plan.curve->right(), 1e-6));
  CHECK_FALSE(planned_edges(figure, 300, 500).curve);
  CHECK_FALSE(planned_edges(figure, 900, 100).curve);
}

TEST_CASE("edges plan: every size is planned, and lines and nodes stay in it") {
  for (const double width : {0.0, 1.0, 40.0, 200.0, 461.0, 1500.0})
    for (const double height : {0.0, 1.0, 30.0, 121.0, 151.0, 900.0}) {
      INFO(width << " x " << height);
      const EdgesPlan plan = planned_edges(grouped_edges(), width, height);
      CHECK(plan.lines.size() == 4);
      if (width < 40 || height < 30) continue;
      for (const EdgesPlan::Node& node : plan.nodes) {
        CHECK(node.rect.x >= -1);
        CHECK(node.rect.right() <= width + 1);
        CHECK(node.rect.y >= -1);
        CHECK(node.rect.bottom() <= height + 1);
      }
      for (const EdgesPlan::Line& line : plan.lines) {
        const Rect around = bounds(line.path);
        CHECK(around.x >= -1);
        CHECK(around.right() <= width + 1);
      }
    }
}
