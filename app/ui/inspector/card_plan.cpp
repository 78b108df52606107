#include "app/ui/inspector/card_plan.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kRounding = 1e-6;
constexpr double kMostWidening = 1.4;

bool inside(const Rect& inner, const Rect& outer) {
  return inner.x >= outer.x - kRounding && inner.y >= outer.y - kRounding &&
         inner.right() <= outer.right() + kRounding && inner.bottom() <= outer.bottom() + kRounding;
}

double distance(const Rect& a, const Rect& b) {
  const double x = std::max({0.0, a.x - b.right(), b.x - a.right()});
  const double y = std::max({0.0, a.y - b.bottom(), b.y - a.bottom()});
  return std::hypot(x, y);
}

// Two places along one axis for a card of `size`: beginning at `begin`, and ending at `end`.
void add_places(std::vector<double>& places, double begin, double end, double size) {
  for (const double at : {begin, end - size})
    places.push_back(at);
}

// Finds the free place in `room` that is nearest to the cell.
class PlaceSearch {
 public:
  PlaceSearch(const Rect& room, const std::vector<Rect>& obstacles, const Rect& cell)
      : room_(room), obstacles_(obstacles), cell_(cell) {}

  std::optional<Rect> nearest(CardSize size, std::optional<Point> before) const {
    if (size.width > room_.width || size.height > room_.height) return std::nullopt;
    if (before)
      if (const Rect same = {before->x, before->y, size.width, size.height}; is_free(same)) return same;
    std::vector<double> xs, ys;
    add_places(xs, room_.x, room_.right(), size.width);
    add_places(ys, room_.y, room_.bottom(), size.height);
    for (const Rect& obstacle : obstacles_) {
      add_places(xs, obstacle.right(), obstacle.x, size.width);
      add_places(ys, obstacle.bottom(), obstacle.y, size.height);
    }
    add_places(xs, cell_.x, cell_.right(), size.width);
    add_places(ys, cell_.y, cell_.bottom(), size.height);
    std::optional<Rect> best;
    for (const double x : xs)
      for (const double y : ys) {
        const Rect place = {x, y, size.width, size.height};
        if ((!best || distance(place, cell_) < distance(*best, cell_)) && is_free(place)) best = place;
      }
    return best;
  }

 private:
  bool is_free(const Rect& place) const {
    return inside(place, room_) &&
           std::none_of(obstacles_.begin(), obstacles_.end(),
                        [&](const Rect& obstacle) { return overlap(place, obstacle); });
  }

  const Rect& room_;
  const std::vector<Rect>& obstacles_;
  const Rect& cell_;
};

std::vector<Rect> with_gap(const std::vector<Rect>& rects, double gap) {
  std::vector<Rect> wider;
  for (const Rect& rect : rects)
    if (rect.width > 0 && rect.height > 0) wider.push_back(outset(rect, gap));
  return wider;
}

}  // namespace

std::optional<Rect> plan_card(const CardRoom& room, CardSize wished, double least_height,
                              std::optional<Point> before) {
  const Rect inner = outset(room.picture, -room.gap);
  const std::vector<Rect> keep = with_gap(room.keep, room.gap);
  std::vector<Rect> all = with_gap(room.drawn, room.gap);
  all.insert(all.end(), keep.begin(), keep.end());
  std::vector<CardSize> sizes;
  for (const double share : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.0})
    sizes.push_back(
        {wished.width, std::max(std::min(wished.height, least_height), std::floor(wished.height * share))});
  const PlaceSearch clear(inner, all, room.cell), over(inner, keep, room.cell);
  for (const CardSize& size : sizes) {
    if (const auto place = clear.nearest(size, before)) return place;
    for (const Rect& rect : room.beside) {
      const CardSize wide = {std::clamp(rect.width, size.width, kMostWidening * size.width), size.height};
      if (const auto place = PlaceSearch(rect, keep, room.cell).nearest(wide, before)) return place;
    }
  }
  for (const CardSize& size : sizes)
    if (const auto place = over.nearest(size, before)) return place;
  return std::nullopt;
}

}  // namespace headlight
