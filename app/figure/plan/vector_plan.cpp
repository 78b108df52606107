#include "app/figure/plan/vector_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/figure/plan/label_places.h"
#include "app/figure/plan/label_text.h"
#include "app/figure/plan/names.h"

namespace headlight {
namespace {

constexpr double kRadius = 4, kPointedRadius = 6, kLabelReach = 3, kLeaderReach = 20, kArrowHead = 7,
                 kAxisTickGap = 4;
constexpr double kMargin = 0.08;          // of the field, around the points
constexpr double kTickPitch = 48;         // pixels from one tick to the next, at least
constexpr std::size_t kMostLabels = 160;  // more are unreadable

bool finite_point(const VectorSet& set, Index token) {
  return std::isfinite(set.points(token, 0)) && std::isfinite(set.points(token, 1));
}

// The smallest of ..., 0.1, 0.2, 0.5, 1, 2, 5, ... that is at least `least`.
double round_length(double least) {
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= least * (1 - 1e-9)) return factor * decade;
  return 10 * decade;
}

int decimals_of(double step) {
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
}

struct Bounds {  // the origin is always inside
  double left = 0, right = 0, low = 0, high = 0;
};

Bounds bounds_of(const VectorFigure& figure) {
  Bounds bounds;
  for (const VectorSet& set : figure.sets)
    for (Index token = 0; token < set.points.rows(); ++token) {
      if (!finite_point(set, token)) continue;
      const double x = set.points(token, 0), y = set.points(token, 1);
      bounds = {std::min(bounds.left, x), std::max(bounds.right, x), std::min(bounds.low, y),
                std::max(bounds.high, y)};
    }
  return bounds;
}

class VectorPlanner {
 public:
  VectorPlanner(const VectorFigure& figure, const FigureStyle& style, const MeasureText& measure)
      : figure_(figure), style_(style), measure_(measure), line_(line_height(style.label_size_px)) {}

  VectorPlan plan(double width, double height) {
    plan_.drawing.width = width;
    plan_.drawing.height = height;
    place_field(width, height);
    if (plan_.field.width < 20 || plan_.field.height < 20) return std::move(plan_);
    fit_scale();
    add_ticks(true);
    if (!figure_.line) add_ticks(false);
    add_axis_names();
    place_points();
    if (figure_.arrows && figure_.sets.size() == 2) add_arrows();
    if (figure_.from_origin && !figure_.line)
      for (const VectorPlan::Point& point : plan_.points)
        add_arrow({point.set, point.token, plan_.scale.origin_x, plan_.scale.origin_y}, point);
    for (const VectorPlan::Point& point : plan_.points)
      add_dot(point);
    add_labels();
    return std::move(plan_);
  }

 private:
  double px(double planned) const { return scaled_px(style_, planned); }

  void place_field(double width, double height) {
    const double number = measure_("\u22120.00", style_.label_size_px, FontFace::Text).width;
    const double left = figure_.line ? px(4) : number + line_ + px(8);
    const double bottom = 2 * line_ + px(8);
    plan_.field = {left, px(2), width - left - px(4), height - bottom - px(2)};
  }

  // One scale for both axes: distances and angles are those of the space.
  void fit_scale() {
    if (figure_.held_scale) {
      plan_.scale = *figure_.held_scale;
      return;
    }
    const Bounds bounds = bounds_of(figure_);
    const Rect& field = plan_.field;
    const double wide = bounds.right - bounds.left, high = bounds.high - bounds.low;
    const double room_x = field.width * (1 - 2 * kMargin), room_y = field.height * (1 - 2 * kMargin);
    double scale = 1e300;
    if (wide > 0) scale = std::min(scale, room_x / wide);
    if (high > 0 && !figure_.line) scale = std::min(scale, room_y / high);
    if (scale >= 1e300) scale = std::min(room_x, room_y) / 2;  // all points are at the origin
    plan_.scale.px_per_unit = scale;
    plan_.scale.origin_x = field.x + field.width / 2 - scale * (bounds.left + bounds.right) / 2;
    plan_.scale.origin_y =
        figure_.line ? field.bottom() : field.y + field.height / 2 + scale * (bounds.low + bounds.high) / 2;
  }

  PlannedText text(const std::string& what, double x, double y, Anchor anchor, Color color) const {
    return planned_label(style_, what, x, y, anchor, color);
  }

  // Lines across the field at round numbers; the line at zero is the axis.
  void add_ticks(bool along_x) {
    const Rect& field = plan_.field;
    const double step = round_length(px(kTickPitch) * (along_x ? 1.0 : 0.75) / plan_.scale.px_per_unit);
    const double begin = along_x ? (field.x - plan_.scale.origin_x) / plan_.scale.px_per_unit
                                 : (plan_.scale.origin_y - field.bottom()) / plan_.scale.px_per_unit;
    const double end = along_x ? (field.right() - plan_.scale.origin_x) / plan_.scale.px_per_unit
                               : (plan_.scale.origin_y - field.y) / plan_.scale.px_per_unit;
    const double width = whole_px(style_, 1);
    for (double i = std::ceil(begin / step); i * step <= end; ++i) {
      const bool zero = i == 0;
      const Color color =
          zero ? mix(style_.line, style_.quiet_text, 0.6) : mix(style_.background, style_.line, 0.7);
      const std::string number = number_text(i * step, decimals_of(step));
      if (along_x) {
        const double x = plan_.scale.origin_x + i * step * plan_.scale.px_per_unit;
        plan_.drawing.lines.push_back({x, field.y, x, field.bottom(), width, color});
        plan_.drawing.texts.push_back(text(number, x, field.bottom() + px(kAxisTickGap) + line_ / 2,
                                           Anchor::Middle, style_.quiet_text));
      } else {
        const double y = plan_.scale.origin_y - i * step * plan_.scale.px_per_unit;
        plan_.drawing.lines.push_back({field.x, y, field.right(), y, width, color});
        plan_.drawing.texts.push_back(
            text(number, field.x - px(kAxisTickGap), y, Anchor::End, style_.quiet_text));
      }
    }
  }

  void add_axis_names() {
    const Rect& field = plan_.field;
    plan_.drawing.texts.push_back(text(figure_.x_axis, field.x + field.width / 2,
                                       field.bottom() + px(kAxisTickGap) + line_ * 1.5, Anchor::Middle,
                                       style_.quiet_text));
    if (figure_.line) return;
    PlannedText name = text(shortened(figure_.y_axis, field.height, style_.label_size_px, measure_),
                            line_ / 2, field.y + field.height / 2, Anchor::Middle, style_.quiet_text);
    name.angle_deg = 90;
    plan_.drawing.texts.push_back(std::move(name));
  }

  void place_points() {
    const double lanes = static_cast<double>(figure_.sets.size());
    for (std::size_t s = 0; s < figure_.sets.size(); ++s) {
      const VectorSet& set = figure_.sets[s];
      const double lane =
          plan_.field.y + plan_.field.height * (static_cast<double>(s) + 0.5) / std::max(lanes, 1.0);
      for (Index token = 0; token < set.points.rows(); ++token) {
        if (!finite_point(set, token)) continue;
        const double x =
            plan_.scale.origin_x + static_cast<double>(set.points(token, 0)) * plan_.scale.px_per_unit;
        const double y =
            plan_.scale.origin_y - static_cast<double>(set.points(token, 1)) * plan_.scale.px_per_unit;
        plan_.points.push_back({s, token, x, figure_.line ? lane : y});
      }
      if (!figure_.line) continue;
      plan_.drawing.lines.push_back({plan_.field.x, lane, plan_.field.right(), lane, whole_px(style_, 1),
                                     mix(style_.line, style_.quiet_text, 0.6)});
    }
  }

  bool stands_out(const VectorPlan::Point& point) const {
    return point.token ==
           (point.set == 1 ? figure_.pointed_second.value_or(figure_.pointed) : figure_.pointed);
  }

  double radius(const VectorPlan::Point& point) const {
    if (stands_out(point)) return px(kPointedRadius);
    return px(figure_.labels.size() > 100 ? kRadius * 0.6 : kRadius);
  }

  void add_arrows() {
    for (const VectorPlan::Point& from : plan_.points) {
      if (from.set != 0) continue;
      const auto to = std::find_if(plan_.points.begin(), plan_.points.end(), [&](const auto& point) {
        return point.set == 1 && point.token == from.token;
      });
      if (to != plan_.points.end()) add_arrow(from, *to);
    }
  }

  // From the edge of one point to the edge of the other.
  void add_arrow(const VectorPlan::Point& from, const VectorPlan::Point& to) {
    const double dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
    const double start = radius(from), end = length - radius(to) - px(1);
    if (end - start < px(2)) return;
    const bool pointed = stands_out(from);
    const double opacity = pointed ? 1.0 : figure_.pointed >= 0 ? 0.3 : 0.7;
    const Color color =
        with_opacity(pointed ? style_.accent : style_.series[figure_.sets[to.set].series], opacity);
    const double ux = dx / length, uy = dy / length;
    const double head = std::min(px(kArrowHead), (end - start) * 0.6), half = head * 0.42;
    const double tip_x = from.x + ux * end, tip_y = from.y + uy * end;
    const double base_x = tip_x - ux * head, base_y = tip_y - uy * head;
    plan_.drawing.strokes.push_back(
        {from.x + ux * start, from.y + uy * start, base_x, base_y, px(pointed ? 2 : 1.25), color});
    plan_.drawing.triangles.push_back({tip_x, tip_y, base_x - uy * half, base_y + ux * half,
                                       base_x + uy * half, base_y - ux * half, color});
  }

  void add_dot(const VectorPlan::Point& point) {
    const bool pointed = stands_out(point);
    const Color color = style_.series[figure_.sets[point.set].series];
    if (pointed)
      plan_.drawing.dots.push_back({point.x, point.y, radius(point) + px(2), style_.accent, false});
    plan_.drawing.dots.push_back({point.x, point.y, radius(point), color, false});
  }

  // Order of priority: the highlighted token, the first set, the second set.
  void add_labels() {
    LabelPlaces places(plan_.field);
    if (figure_.from_origin) {  // many arrows lie on the axes
      const Rect& field = plan_.field;
      places.take({field.x, plan_.scale.origin_y - 1, field.width, 2});
      places.take({plan_.scale.origin_x - 1, field.y, 2, field.height});
    }
    for (const VectorPlan::Point& point : plan_.points) {
      const double r = radius(point);
      // Labels do not cover the line of a set.
      if (figure_.line) places.take({plan_.field.x, point.y - 1, plan_.field.width, 2});
      places.take({point.x - r, point.y - r, 2 * r, 2 * r});
    }
    for (const VectorPlan::Point& point : plan_.points)
      if (stands_out(point)) add_label(point, places);
    for (const VectorPlan::Point& point : plan_.points)
      if (!stands_out(point)) add_label(point, places);
  }

  // A line from a point to its label, for labels that are not close by.
  void add_leader(const VectorPlan::Point& point, const Rect& label) {
    const double x = std::clamp(point.x, label.x, label.right());
    const double y = std::clamp(point.y, label.y, label.bottom());
    plan_.drawing.strokes.push_back(
        {point.x, point.y, x, y, px(1), mix(style_.line, style_.quiet_text, 0.6)});
  }

  void add_label(const VectorPlan::Point& point, LabelPlaces& places) {
    const std::string label = shortened(spoken_label(figure_.labels[static_cast<std::size_t>(point.token)]),
                                        px(120), style_.label_size_px, measure_);
    const TextSize size = {measure_(label, style_.label_size_px, FontFace::Text).width, line_ * 0.9};
    const double near = radius(point) + px(kLabelReach);
    std::optional<Rect> place;
    if (labels_ < kMostLabels) {
      place = places.place_beside(point.x, point.y, size, near);
      if (!place && (place = places.place_beside(point.x, point.y, size, px(kLeaderReach))))
        add_leader(point, *place);
    }
    if (!place) {
      ++plan_.labels_hidden;
      return;
    }
    ++labels_;
    const bool back = figure_.pointed >= 0 && !stands_out(point);
    const Color color = back ? style_.quiet_text : style_.text;
    plan_.drawing.texts.push_back(text(label, place->x, place->y + place->height / 2, Anchor::Start, color));
  }

  const VectorFigure& figure_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  const double line_;
  std::size_t labels_ = 0;
  VectorPlan plan_;
};

}  // namespace

Index VectorPlan::point_at(double x, double y, double reach) const {
  Index nearest = -1;
  double least = reach;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double away = std::hypot(points[i].x - x, points[i].y - y);
    if (away > least) continue;
    least = away;
    nearest = static_cast<Index>(i);
  }
  return nearest;
}

std::vector<std::string> point_names(std::span<const std::string> labels, std::span<const Index> places,
                                     Counting counting) {
  const auto label = [&](Index at) -> const std::string& { return labels[static_cast<std::size_t>(at)]; };
  std::map<std::string, int> times;
  for (const Index at : places)
    ++times[spoken_label(label(at))];
  std::vector<std::string> names;
  for (const Index at : places)
    names.push_back(times[spoken_label(label(at))] > 1 ? token_name(labels, at, counting) : label(at));
  return names;
}

VectorPlan plan_vectors(const VectorFigure& figure, const FigureStyle& style, double width, double height,
                        const MeasureText& measure) {
  return VectorPlanner(figure, style, measure).plan(width, height);
}

}  // namespace headlight
