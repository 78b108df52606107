#include "app/ui/pipeline/strip_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/motion/between.h"
#include "app/figure/motion/screen_change.h"

namespace headlight {
namespace {

bool same_part(const PipelineNode& a, const PipelineNode& b) {
  return a.stage == b.stage && a.parameter == b.parameter;
}

double middle_x(const Rect& rect) {
  return rect.x + rect.width / 2;
}
double middle_y(const Rect& rect) {
  return rect.y + rect.height / 2;
}

// Where the x of one diagram is in another one: the middles of the parts that both have are known, and what
// is between two of them stays so.
class OtherX {
 public:
  OtherX(const PipelinePlan& plan, const PipelinePlan& other) {
    for (const PipelineNode& node : plan.nodes)
      if (const PipelineNode* same = same_node(other, node))
        known_.emplace_back(middle_x(node.place), middle_x(same->place));
    std::sort(known_.begin(), known_.end());
  }

  double of(double x) const {
    if (known_.empty()) return x;
    const auto behind =
        std::find_if(known_.begin(), known_.end(), [x](const auto& at) { return at.first > x; });
    if (behind == known_.begin()) return x + behind->second - behind->first;
    const auto& before = *(behind - 1);
    if (behind == known_.end()) return x + before.second - before.first;
    return between(before.second, behind->second, (x - before.first) / (behind->first - before.first));
  }

 private:
  std::vector<std::pair<double, double>> known_;
};

const PipelineWire* wire_between(const PipelinePlan& plan, const StripSource& from, Stage to) {
  const auto found = std::find_if(plan.wires.begin(), plan.wires.end(), [&](const PipelineWire& wire) {
    return wire.comes_from == from && wire.leads_to == to;
  });
  return found == plan.wires.end() ? nullptr : &*found;
}

const PipelineNode* node_of(const PipelinePlan& plan, const StripSource& source) {
  const auto found = std::find_if(plan.nodes.begin(), plan.nodes.end(), [&](const PipelineNode& node) {
    return !node.parameter && node.stage == source;
  });
  return found == plan.nodes.end() ? nullptr : &*found;
}

// The wire of `other` that a wire of `plan` is a part of, past the stages that `other` lacks; null: none.
const PipelineWire* other_wire(const PipelinePlan& plan, const PipelinePlan& other,
                               const PipelineWire& wire) {
  StripSource from = wire.comes_from;
  Stage to = wire.leads_to;
  for (std::size_t turn = 0; turn < plan.wires.size() && !node_of(other, from); ++turn)
    for (const PipelineWire& one : plan.wires)
      if (StripSource(one.leads_to) == from) {
        from = one.comes_from;
        break;
      }
  for (std::size_t turn = 0; turn < plan.wires.size() && !node_of(other, to); ++turn)
    for (const PipelineWire& one : plan.wires)
      if (one.comes_from == StripSource(to)) {
        to = one.leads_to;
        break;
      }
  return wire_between(other, from, to);
}

// The height of a wire at x.
double height_at(const PipelineWire& wire, double x) {
  const std::vector<Point> points = wire_points(wire);
  const auto behind = std::find_if(points.begin(), points.end(), [x](const Point& p) { return p.x > x; });
  if (behind == points.begin()) return points.front().y;
  if (behind == points.end()) return points.back().y;
  const Point& before = *(behind - 1);
  return between(before.y, behind->y, (x - before.x) / (behind->x - before.x));
}

// Without a size, where a node of `plan` that `other` lacks would be in it: on the line that it parts.
Rect point_in(const PipelinePlan& plan, const PipelinePlan& other, const OtherX& other_x,
              const PipelineNode& node) {
  const double x = other_x.of(middle_x(node.place));
  for (const PipelineWire& wire : plan.wires)
    if (!node.parameter && StripSource(wire.leads_to) == node.stage)
      if (const PipelineWire* parted = other_wire(plan, other, wire)) return {x, height_at(*parted, x), 0, 0};
  return {x, middle_y(node.place), 0, 0};
}

// Where the nodes of `plan` are in `other`.
std::vector<Rect> places_in(const PipelinePlan& plan, const PipelinePlan& other) {
  const OtherX other_x(plan, other);
  std::vector<Rect> places;
  for (const PipelineNode& node : plan.nodes) {
    const PipelineNode* same = same_node(other, node);
    places.push_back(same ? same->place : point_in(plan, other, other_x, node));
  }
  return places;
}

// A caption keeps its size and its distance from the middle of the part's lower edge.
Rect caption_at(const PipelineNode& node, const Rect& place) {
  return {node.caption.x + middle_x(place) - middle_x(node.place),
          node.caption.y + place.bottom() - node.place.bottom(), node.caption.width, node.caption.height};
}

PipelineNode node_at(const PipelineNode& node, const Rect& place) {
  PipelineNode at = node;
  at.place = place;
  at.caption = caption_at(node, place);
  return at;
}

// The lower edge of the settings and operations above the stages; nullopt: there are none.
std::optional<double> edge_above(const PipelinePlan& plan) {
  std::optional<double> edge;
  for (const PipelineLabel& label : plan.labels)
    edge = std::max(edge.value_or(0), label.place.bottom());
  for (const PipelineSlot& slot : plan.slots)
    edge = std::max(edge.value_or(0), slot.place.bottom());
  return edge;
}

Rect shifted(const Rect& rect, double x, double y) {
  return {rect.x + x, rect.y + y, rect.width, rect.height};
}

// The ends of a wire move with the nodes that they touch, and what is between them with both.
PipelineWire wire_at(const PipelineWire& wire, const Placement& from, const Placement& to) {
  const auto way = [](const Placement& move, const Point& end) {
    const Point at = move.of(end);
    return Point{at.x - end.x, at.y - end.y};
  };
  const Point &first = wire.path.front(), &last = wire.path.back();
  const Point begins = way(from, first), ends = way(to, last);
  PipelineWire at = wire;
  for (Point& point : at.path) {
    const Point by = between(begins, ends, (point.x - first.x) / std::max(1e-9, last.x - first.x));
    point = {point.x + by.x, point.y + by.y};
  }
  return at;
}

class StripBetween {
 public:
  StripBetween(const PipelinePlan& before, const PipelinePlan& after, double share)
      : before_(before), after_(after), share_(share) {
    moment_.plan = after;
    moment_.arrived = share;
  }

  StripMoment moment() {
    move_nodes();
    move_above();
    move_wires();
    if (before_.more && after_.more) moment_.plan.more = between(*before_.more, *after_.more, share_);
    leave();
    return std::move(moment_);
  }

 private:
  void move_nodes() {
    const std::vector<Rect> places = places_in(after_, before_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const PipelineNode& node = after_.nodes[i];
      moment_.plan.nodes[i] = node_at(node, between(places[i], node.place, share_));
      moment_.nodes.push_back(same_node(before_, node) ? 1 : share_);
    }
  }

  // Settings and operations move along with the stage that they make.
  void move_above() {
    const auto then = edge_above(before_), now = edge_above(after_);
    const double y = then && now ? (*then - *now) * (1 - share_) : 0;
    const auto x = [this](Stage stage) {
      const PipelineNode *at = node_of(moment_.plan, stage), *end = node_of(after_, stage);
      return at ? middle_x(at->place) - middle_x(end->place) : 0;
    };
    for (PipelineLabel& label : moment_.plan.labels)
      label.place = shifted(label.place, x(label.makes), y);
    for (PipelineSlot& slot : moment_.plan.slots)
      slot.place = shifted(slot.place, x(slot.makes), y);
  }

  Placement placement_of(const StripSource& source) const {
    return placement(node_of(after_, source)->place, node_of(moment_.plan, source)->place);
  }

  void move_wires() {
    for (PipelineWire& wire : moment_.plan.wires) {
      moment_.wires.push_back(other_wire(after_, before_, wire) ? 1 : share_);
      wire = wire_at(wire, placement_of(wire.comes_from), placement_of(wire.leads_to));
    }
  }

  void leave() {
    const std::vector<Rect> places = places_in(before_, after_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const PipelineNode& node = before_.nodes[i];
      if (!same_node(after_, node))
        moment_.leaving.push_back(node_at(node, between(node.place, places[i], share_)));
    }
  }

  const PipelinePlan &before_, &after_;
  double share_;
  StripMoment moment_;
};

}  // namespace

const PipelineNode* same_node(const PipelinePlan& plan, const PipelineNode& node) {
  const auto found = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                  [&](const PipelineNode& other) { return same_part(other, node); });
  return found == plan.nodes.end() ? nullptr : &*found;
}

bool same_parts(const PipelinePlan& a, const PipelinePlan& b) {
  return a.form == b.form && std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                                        [](const PipelineNode& x, const PipelineNode& y) {
                                          return same_part(x, y) && x.idle == y.idle;
                                        });
}

StripMoment strip_at(const PipelinePlan& before, const PipelinePlan& after, double seconds) {
  return StripBetween(before, after, eased(std::clamp(seconds / kStripSeconds, 0.0, 1.0))).moment();
}

}  // namespace headlight
