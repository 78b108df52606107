#include "app/figure/motion/screen_change.h"

#include <algorithm>
#include <cmath>

#include "app/figure/motion/between.h"

namespace headlight {
namespace {

// How far the change is that takes so many seconds.
double way(double seconds, double length) {
  return eased(std::clamp(seconds / length, 0.0, 1.0));
}

bool is_empty(const Rect& rect) {
  return rect.width <= 0 || rect.height <= 0;
}

bool is_alike(double a, double b) {
  constexpr double kMost = 2;
  return a <= kMost * b && b <= kMost * a;
}

// The point at `share` of a path's number of points.
Point point_at(const std::vector<Point>& path, double share) {
  const double at = share * static_cast<double>(path.size() - 1);
  const auto first = std::min(static_cast<std::size_t>(at), path.size() - 2);
  return between(path[first], path[first + 1], at - static_cast<double>(first));
}

Stroke stroke_between(const Stroke& a, const Stroke& b, double t) {
  constexpr int kPoints = 24;
  Stroke stroke{{}, between(a.width, b.width, t)};
  for (int i = 0; i <= kPoints; ++i) {
    const double share = static_cast<double>(i) / kPoints;
    stroke.path.push_back(between(point_at(a.path, share), point_at(b.path, share), t));
  }
  return stroke;
}

bool same_stroke(const Stroke& a, const Stroke& b) {
  const auto same = [](const Point& p, const Point& q) { return p.x == q.x && p.y == q.y; };
  return a.width == b.width && std::equal(a.path.begin(), a.path.end(), b.path.begin(), b.path.end(), same);
}

// How far a cell lies from the diagonal that ends in the last column, as a share of the farthest.
double distance(Index row, Index column, const ShownMask& mask) {
  const Index first = mask.columns - mask.rows;
  const auto from = static_cast<double>(std::max<Index>(0, column - row - first));
  return from / static_cast<double>(std::max<Index>(1, mask.columns - 1));
}

// The opacity of each cell of the earlier picture. `grows`: more cells become forbidden than free.
std::vector<double> mask_at(const ShownMask& after, bool grows, double seconds) {
  constexpr double kOneDiagonal = 0.25;  // share of the time in which one diagonal changes
  const double t = std::clamp(seconds / kMaskSeconds, 0.0, 1.0);
  std::vector<double> opacity;
  for (Index row = 0; row < after.rows; ++row)
    for (Index column = 0; column < after.columns; ++column) {
      const double far = distance(row, column, after), turn = grows ? far : 1 - far;
      opacity.push_back(1 - std::clamp((t - turn * (1 - kOneDiagonal)) / kOneDiagonal, 0.0, 1.0));
    }
  return opacity;
}

bool mask_changes(const ShownMask& before, const ShownMask& after) {
  return before.rows == after.rows && before.columns == after.columns && before.rows > 0 && before != after;
}

bool grows(const ShownMask& before, const ShownMask& after) {
  const auto count = [](const ShownMask& mask) {
    return std::count(mask.forbidden.begin(), mask.forbidden.end(), true);
  };
  return count(after) > count(before);
}

Rect around(const std::vector<ShownWord>& words) {
  Rect all = words.front().place;
  for (const ShownWord& word : words)
    all = joined(all, word.place);
  return all;
}

MovingWord resting(const ShownWord& word, double opacity) {
  return {word.text, {word.place.x, word.place.y}, word.type_px, opacity};
}

// A word that only the earlier state has: it moves as the line does, and is gone half way.
MovingWord leaving(const ShownWord& word, const Rect& from, const Rect& to, double t) {
  const Placement line = placement(from, between(from, to, t));
  return {word.text, line.of({word.place.x, word.place.y}), word.type_px * line.y_scale,
          std::max(0.0, 1 - 2 * t)};
}

MovingWord travelling(const ShownWord& before, const ShownWord& after, double t) {
  return {after.text, between(Point{before.place.x, before.place.y}, Point{after.place.x, after.place.y}, t),
          between(before.type_px, after.type_px, t), 1};
}

std::vector<MovingWord> words_at(const std::vector<ShownWord>& before, const std::vector<ShownWord>& after,
                                 double seconds) {
  const double t = way(seconds, kWordsSeconds);
  std::vector<MovingWord> words;
  if (before.empty() || after.empty()) {
    for (const ShownWord& word : after)
      words.push_back(resting(word, 1));
    return words;
  }
  const Rect from = around(before), to = around(after);
  const auto same = [&](std::size_t i) {
    return i < before.size() && i < after.size() && before[i].text == after[i].text;
  };
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!same(i) && t < 0.5) words.push_back(leaving(before[i], from, to, t));
  for (std::size_t i = 0; i < after.size(); ++i)
    words.push_back(same(i) ? travelling(before[i], after[i], t)
                            : resting(after[i], std::max(0.0, 2 * t - 1)));
  return words;
}

void place_pictures(const ScreenState& before, const ScreenState& after, double t, ScreenMoment& moment) {
  const Rect &from = before.cells, &to = after.cells;
  if (is_empty(from) || is_empty(to) || !is_alike(from.width, to.width) || !is_alike(from.height, to.height))
    return;
  const Rect now = between(from, to, t);
  moment.earlier_at = placement(from, now);
  moment.later_at = placement(to, now);
}

}  // namespace

Placement placement(const Rect& from, const Rect& to) {
  const double x = to.width / from.width, y = to.height / from.height;
  return {x, to.x - from.x * x, y, to.y - from.y * y};
}

Stroke stroke_of(const Rect& rect) {
  const double middle = rect.y + rect.height / 2;
  return {{{rect.x, middle}, {rect.right(), middle}}, rect.height};
}

std::vector<Point> outline_of(const Stroke& stroke) {
  const std::size_t count = stroke.path.size();
  std::vector<Point> outline(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const Point &before = stroke.path[i > 0 ? i - 1 : 0], &behind = stroke.path[std::min(i + 1, count - 1)];
    const double x = behind.x - before.x, y = behind.y - before.y, length = std::hypot(x, y);
    const double half = length > 0 ? stroke.width / 2 / length : 0;
    const Point& at = stroke.path[i];
    outline[i] = {at.x + y * half, at.y - x * half};
    outline[2 * count - 1 - i] = {at.x - y * half, at.y + x * half};
  }
  return outline;
}

ScreenMoment screen_at(const ScreenState& before, const ScreenState& after, double seconds) {
  ScreenMoment moment;
  const double t = way(seconds, kChangeSeconds);
  moment.earlier = 1 - t;
  place_pictures(before, after, t, moment);
  if (t < 1 && before.pair && after.pair && !same_stroke(*before.pair, *after.pair))
    moment.pair = stroke_between(*before.pair, *after.pair, t);
  if (seconds < kMaskSeconds && mask_changes(before.mask, after.mask))
    moment.masks = mask_at(after.mask, grows(before.mask, after.mask), seconds);
  moment.words = words_at(before.words, after.words, seconds);
  return moment;
}

}  // namespace headlight
