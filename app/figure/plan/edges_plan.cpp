#include "app/figure/plan/edges_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figure/color/color_scale.h"
#include "app/figure/plan/label_text.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

using EndKind = EdgeEnd::Kind;

// Pixels at labels of 12 px.
constexpr double kThickestEdge = 6, kThinnestEdge = 0.75, kWidestColumn = 84, kWidestNode = 56,
                 kNodePadding = 4, kPortRadius = 2, kEdgeSample = 24, kEdgesGap = 8;
constexpr double kNodeOfRow = 0.55, kNodeOfColumn = 0.72;  // shares
constexpr double kCurveShare = 0.3, kNarrowestCurve = 140, kWidestCurve = 280, kLeastWithCurve = 460,
                 kLeastCurveHeight = 150, kLeastLegendHeight = 120;
constexpr std::size_t kMostEdgeLines = 1500;  // more cannot be told apart, and take long to paint

bool has_carried(const LayeredEdges& figure) {
  return std::any_of(figure.carried.begin(), figure.carried.end(),
                     [](double share) { return std::isfinite(share); });
}

// The last point of the curve that keeps at most so many edges. Precondition: it has points.
std::size_t kept_point(const LayeredEdges& figure) {
  const auto after =
      std::upper_bound(figure.kept.begin(), figure.kept.end(), static_cast<Index>(figure.shown));
  return after == figure.kept.begin() ? 0 : static_cast<std::size_t>(after - figure.kept.begin()) - 1;
}

class EdgesLayout {
 public:
  EdgesLayout(const LayeredEdges& figure, const FigureStyle& style, double width, double height,
              const MeasureText& measure)
      : figure_(figure), style_(style), measure_(measure) {
    plan_.drawing.width = plan_.lines_drawing.width = width;
    plan_.drawing.height = plan_.lines_drawing.height = height;
  }

  EdgesPlan plan() {
    find_areas();
    add_nodes();
    add_lines();
    draw_nodes();
    if (plan_.curve) add_curve();
    return std::move(plan_);
  }

 private:
  double px(double pixels) const { return scaled_px(style_, pixels); }
  double line() const { return line_height(style_.label_size_px); }
  double label_width(const std::string& text) const {
    return measure_(text, style_.label_size_px, FontFace::Text).width;
  }
  void label(const std::string& text, double x, double y, Anchor anchor, Color color) {
    plan_.drawing.texts.push_back(planned_label(style_, text, x, y, anchor, color));
  }
  std::string layer_name(Index layer) const { return "layer " + figure_.counting.number(layer); }

  Index row_count() const { return 2 + figure_.layers * (figure_.parallel ? 1 : 2); }
  Index row_of(const EdgeEnd& end) const {
    if (end.kind == EndKind::Embedding) return 0;
    if (end.kind == EndKind::Logits) return row_count() - 1;
    if (figure_.parallel) return 1 + end.layer;
    return 1 + 2 * end.layer + (end.kind == EndKind::Mlp ? 1 : 0);
  }

  void find_areas() {
    const double width = plan_.drawing.width, height = plan_.drawing.height;
    const bool legend = height >= px(kLeastLegendHeight);
    const double below = legend ? 2 * line() + px(kEdgesGap) : 0;
    const bool curve =
        has_carried(figure_) && width >= px(kLeastWithCurve) && height >= px(kLeastCurveHeight);
    const double beside = curve ? std::clamp(kCurveShare * width, px(kNarrowestCurve), px(kWidestCurve)) : 0;
    picture_ = {0, 0, std::max(1.0, width - beside), std::max(1.0, height - below)};
    if (curve)
      plan_.curve = Rect{picture_.right() + px(24), line() + px(kEdgesGap), beside - px(32),
                         picture_.height - 3 * line() - 2 * px(kEdgesGap)};
    double names = 0;
    for (Index layer = 0; layer < figure_.layers; ++layer)
      names = std::max(names, label_width(layer_name(layer)));
    names += px(kEdgesGap);
    pitch_ = picture_.height / static_cast<double>(row_count());
    named_ = names < picture_.width / 3 && pitch_ * (figure_.parallel ? 1 : 2) >= line();
    const double left = named_ ? names : 0;
    const auto columns = static_cast<double>(figure_.heads + 1);
    column_ = std::min(px(kWidestColumn), (picture_.width - left) / columns);
    used_ = column_ * columns;
    left_ = left + (picture_.width - left - used_) / 2;
    if (legend) add_legend(height - line());
  }

  double middle_of(const EdgeEnd& end) const {
    return picture_.bottom() - (static_cast<double>(row_of(end)) + 0.5) * pitch_;
  }
  double head_x(double head) const { return left_ + (head + 0.5) * column_; }
  double node_width() const { return std::min(px(kWidestNode), kNodeOfColumn * column_); }
  double node_height() const { return std::min(kNodeOfRow * pitch_, line() + px(kNodePadding)); }

  // Where an edge touches its node, along the row: what a head reads is a third of its node apart.
  double place_of(const EdgeEnd& end) const {
    const double third = node_width() / 3;
    const double group = static_cast<double>(figure_.heads) / static_cast<double>(figure_.key_heads);
    const double of_group = (static_cast<double>(end.head) + 0.5) * group - 0.5;
    switch (end.kind) {
      case EndKind::Embedding:
      case EndKind::Logits:
        return left_ + used_ / 2;
      case EndKind::Head:
        return head_x(static_cast<double>(end.head));
      case EndKind::Queries:
        return head_x(static_cast<double>(end.head)) - third;
      case EndKind::Keys:
        return head_x(of_group);
      case EndKind::Values:
        return head_x(of_group) + third;
      case EndKind::Mlp:
        return head_x(static_cast<double>(figure_.heads));
    }
    return 0;
  }

  void add_node(const EdgeEnd& end) {
    const bool wide = end.kind == EndKind::Embedding || end.kind == EndKind::Logits;
    const double width = wide ? std::min(used_, label_width("embedding") + px(16)) : node_width();
    plan_.nodes.push_back(
        {end, {place_of(end) - width / 2, middle_of(end) - node_height() / 2, width, node_height()}, false});
  }

  void add_nodes() {
    add_node({EndKind::Embedding, 0, 0});
    for (Index layer = 0; layer < figure_.layers; ++layer) {
      for (Index head = 0; head < figure_.heads; ++head)
        add_node({EndKind::Head, layer, head});
      add_node({EndKind::Mlp, layer, 0});
      if (named_) label(layer_name(layer), 0, layer_y(layer), Anchor::Start, style_.quiet_text);
    }
    add_node({EndKind::Logits, figure_.layers, 0});
  }
  // Of its name: between heads and MLP.
  double layer_y(Index layer) const {
    return (middle_of({EndKind::Head, layer, 0}) + middle_of({EndKind::Mlp, layer, 0})) / 2;
  }

  void touch(const EdgeEnd& end) {
    const double group = static_cast<double>(figure_.heads) / static_cast<double>(figure_.key_heads);
    const bool of_keys = end.kind == EndKind::Keys || end.kind == EndKind::Values;
    for (EdgesPlan::Node& node : plan_.nodes) {
      if (node.end.kind == EndKind::Head && node.end.layer == end.layer) {
        const auto key_head = static_cast<Index>(static_cast<double>(node.end.head) / group);
        if (of_keys && key_head == end.head) node.touched = true;
        if (end.kind == EndKind::Queries && node.end.head == end.head) node.touched = true;
      }
      if (node.end == end) node.touched = true;
    }
  }

  // Upright at both ends, and bent towards the middle where it passes rows between them, so that lines that
  // begin and end below one another part.
  Curve path_of(const LayeredEdges::Edge& edge) const {
    const double half = node_height() / 2;
    const Point from = {place_of(edge.from), middle_of(edge.from) - half},
                to = {place_of(edge.to), middle_of(edge.to) + half};
    const double up = from.y - to.y, middle = left_ + used_ / 2;
    double bend = row_of(edge.to) - row_of(edge.from) > 1 ? std::min(0.2 * up, 0.9 * column_) : 0;
    if ((from.x + to.x) / 2 > middle)
      bend = -std::min(bend, std::max(0.0, std::min(from.x, to.x) - left_));
    else
      bend = std::min(bend, std::max(0.0, left_ + used_ - std::max(from.x, to.x)));
    return {from, {from.x + bend, from.y - up / 2}, {to.x + bend, from.y - up / 2}, to};
  }

  std::size_t line_count() const { return std::min({figure_.shown, figure_.edges.size(), kMostEdgeLines}); }
  double strongest() const { return figure_.edges.empty() ? 0 : std::abs(figure_.edges.front().value); }
  Color color_of(double value) const {
    return Colormap::of(default_colormap(Stage::Scores), style_.neutral).at(value > 0 ? 1 : 0);
  }
  double width_of(double value) const {
    const double thickest = std::min(px(kThickestEdge), std::max(px(2), 0.4 * pitch_));
    const double strength = strongest() > 0 ? std::abs(value) / strongest() : 0;
    return std::max(std::min(px(kThinnestEdge), thickest), strength * thickest);
  }

  void add_lines() {
    for (std::size_t i = line_count(); i-- > 0;) {
      const LayeredEdges::Edge& edge = figure_.edges[i];
      const double strength = strongest() > 0 ? std::abs(edge.value) / strongest() : 0;
      plan_.lines.push_back({i, path_of(edge), width_of(edge.value)});
      plan_.lines_drawing.curves.push_back({plan_.lines.back().path, plan_.lines.back().width,
                                            with_opacity(color_of(edge.value), 0.4 + 0.6 * strength)});
      touch(edge.from);
      touch(edge.to);
      add_port(edge.to);
    }
  }
  void add_port(const EdgeEnd& end) {
    if (end.kind != EndKind::Queries && end.kind != EndKind::Keys && end.kind != EndKind::Values) return;
    const double radius = std::min(px(kPortRadius), node_width() / 6);
    plan_.drawing.dots.push_back({place_of(end), middle_of(end) + node_height() / 2, radius, style_.text});
  }

  std::string node_name(const EdgeEnd& end) const {
    if (end.kind == EndKind::Embedding) return "embedding";
    if (end.kind == EndKind::Logits) return "logits";
    return end.kind == EndKind::Mlp ? "MLP" : figure_.counting.number(end.head);
  }

  void draw_nodes() {
    Drawing& drawing = plan_.drawing;
    for (const EdgesPlan::Node& node : plan_.nodes) {
      drawing.fills.push_back({node.rect, style_.background});
      drawing.boxes.push_back({node.rect, 1, node.touched ? style_.text : style_.line});
      const std::string name = node_name(node.end);
      if (label_width(name) <= node.rect.width && node.rect.height >= style_.label_size_px)
        label(name, node.rect.x + node.rect.width / 2, node.rect.y + node.rect.height / 2, Anchor::Middle,
              node.touched ? style_.text : style_.quiet_text);
    }
  }

  // Two lines below the picture, of which each item is left out that has no room.
  void add_legend(double second) {
    const double first = second - line() / 2 - px(2);
    double x = 0;
    const auto item = [&](const std::string& text, double value) {
      const double end = x + px(kEdgeSample + kEdgesGap) + label_width(text);
      if (end > plan_.drawing.width) return;
      plan_.drawing.strokes.push_back(
          {x, first - line() / 2, x + px(kEdgeSample), first - line() / 2, width_of(value), color_of(value)});
      label(text, x + px(kEdgeSample + kEdgesGap), first - line() / 2, Anchor::Start, style_.quiet_text);
      x = end + px(2 * kEdgesGap);
    };
    if (strongest() > 0) {
      item("above 0", strongest());
      item("below 0", -strongest());
      item("thickest: ±" + number_text(strongest(), 4) +
               (figure_.quantity.empty() ? "" : ", " + figure_.quantity),
           figure_.edges.front().value);
    }
    const std::string how = "into a head, from left to right: queries, keys, values";
    if (x + label_width(how) <= plan_.drawing.width)
      label(how, x, first - line() / 2, Anchor::Start, style_.quiet_text);
    std::string text = carried_text(figure_);
    if (figure_.shown > kMostEdgeLines && figure_.edges.size() > kMostEdgeLines)
      text += (text.empty() ? "" : "; ") + std::string("the ") + std::to_string(kMostEdgeLines) +
              " strongest are drawn";
    if (label_width(text) <= plan_.drawing.width)
      label(text, 0, second + line() / 2 - px(2), Anchor::Start, style_.text);
  }

  // Along the axis of how many edges are kept, from 0 to 1: the points of the curve are equally far apart.
  double along(double count) const {
    const auto points = static_cast<double>(figure_.kept.size());
    if (points < 2) return 0;
    const std::size_t before = kept_point(figure_);
    if (before + 1 >= figure_.kept.size()) return 1;
    const auto low = static_cast<double>(figure_.kept[before]),
               high = static_cast<double>(figure_.kept[before + 1]);
    const double between =
        low > 0 ? std::log(count / low) / std::log(high / low) : (count - low) / (high - low);
    return (static_cast<double>(before) + between) / (points - 1);
  }

  void add_curve() {
    const Rect& area = *plan_.curve;
    double low = 0, high = 1;
    for (const double share : figure_.carried)
      if (std::isfinite(share)) {
        low = std::min(low, share);
        high = std::max(high, share);
      }
    const auto y_of = [&](double share) {
      return area.bottom() - (share - low) / (high - low) * area.height;
    };
    const auto x_of = [&](double share) { return area.x + share * area.width; };
    for (const double share : {0.0, 1.0}) {
      plan_.drawing.lines.push_back({area.x, y_of(share), area.right(), y_of(share), 1, style_.line});
      label(number_text(share, 0), area.x - px(4), y_of(share), Anchor::End, style_.quiet_text);
    }
    const double shown = x_of(along(static_cast<double>(figure_.shown)));
    plan_.drawing.lines.push_back({shown, area.y, shown, area.bottom(), 1, style_.accent});
    const auto points = static_cast<double>(std::max<std::size_t>(figure_.kept.size(), 2) - 1);
    std::optional<Point> before;
    for (std::size_t i = 0; i < figure_.carried.size(); ++i) {
      if (!std::isfinite(figure_.carried[i])) continue;
      const Point at = {x_of(static_cast<double>(i) / points), y_of(figure_.carried[i])};
      if (before) plan_.drawing.strokes.push_back({before->x, before->y, at.x, at.y, px(1.5), style_.text});
      plan_.drawing.dots.push_back({at.x, at.y, px(2.5), style_.text});
      before = at;
    }
    name_axes(shown);
  }

  void name_axes(double shown) {
    const Rect& area = *plan_.curve;
    label("carried: 0 is A, 1 is B", area.x - px(16), line() / 2, Anchor::Start, style_.quiet_text);
    const double y = area.bottom() + line() / 2 + px(4);
    const std::string last = std::to_string(figure_.kept.back()), now = std::to_string(figure_.shown);
    label("0", area.x, y, Anchor::Start, style_.quiet_text);
    label(last, area.right(), y, Anchor::End, style_.quiet_text);
    const double half = label_width(now) / 2 + px(4);
    if (shown - half > area.x + label_width("0") && shown + half < area.right() - label_width(last))
      label(now, shown, y, Anchor::Middle, style_.accent);
    label("edges kept", area.x + area.width / 2, y + line(), Anchor::Middle, style_.quiet_text);
  }

  const LayeredEdges& figure_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  EdgesPlan plan_;
  Rect picture_;
  double pitch_ = 1, column_ = 1;  // from row to row, and from head to head
  double left_ = 0, used_ = 1;     // of all columns together
  bool named_ = false;             // whether the layers' names have room
};

}  // namespace

const EdgesPlan::Line* EdgesPlan::line_at(double x, double y, double reach) const {
  const Line* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Line& line : lines) {
    const Rect around = outset(bounds(line.path), reach + line.width);
    if (x < around.x || x > around.right() || y < around.y || y > around.bottom()) continue;
    const double away = std::max(0.0, distance(line.path, {x, y}) - line.width / 2);
    if (away < reach &&
        away <= least) {  // of several on top of each other the strongest, which is drawn last
      least = away;
      nearest = &line;
    }
  }
  return nearest;
}

const EdgesPlan::Node* EdgesPlan::node_at(double x, double y) const {
  for (const Node& node : nodes)
    if (x >= node.rect.x && x < node.rect.right() && y >= node.rect.y && y < node.rect.bottom()) return &node;
  return nullptr;
}

std::string carried_text(const LayeredEdges& figure) {
  if (!has_carried(figure)) return "";
  const std::size_t before = kept_point(figure);
  const auto told = [&](std::size_t at, const char* edges) {
    return std::to_string(figure.kept[at]) + edges + four_decimals(figure.carried[at]);
  };
  std::string text = told(before, " edges carry ");
  const bool computed = figure.kept[before] == static_cast<Index>(figure.shown);
  if (!computed && before + 1 < figure.kept.size()) text += ", " + told(before + 1, " carry ");
  return text;
}

double edges_height(const LayeredEdges& figure, const FigureStyle& style) {
  const auto rows = static_cast<double>(2 + figure.layers * (figure.parallel ? 1 : 2));
  const double line = line_height(style.label_size_px);
  return std::ceil(rows * (line + scaled_px(style, kNodePadding)) / kNodeOfRow + 2 * line +
                   scaled_px(style, kEdgesGap));
}

EdgesPlan plan_edges(const LayeredEdges& figure, const FigureStyle& style, double width, double height,
                     const MeasureText& measure) {
  return EdgesLayout(figure, style, width, height, measure).plan();
}

}  // namespace headlight
