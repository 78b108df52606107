#include "app/ui/start/sentence_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace headlight {
namespace {

constexpr std::array kTypeSizes = {28.0, 24.0, 20.0, 16.0};  // planned pixels
constexpr double kSpace = 0.34, kPieceSpace = 0.06;  // between words and pieces of a word, in type sizes
constexpr double kLine = 1.25;                       // height of a line of words, in type sizes
constexpr double kMostBeam = 14, kBeamLift = 0.22, kLeastLift = 22;  // planned pixels; share of the distance
constexpr double kMostLoop = 4;                                      // planned pixels
constexpr double kPageMargin = 1.2;    // at each side of several lines, for beams around them, in type sizes
constexpr double kLane = 0.6;          // from the end of a line to a beam around it, in type sizes
constexpr double kLeastBand = 0.5;     // above each line, in type sizes
constexpr std::size_t kSegments = 48;  // of each cubic curve that is drawn as straight lines

// The lines of tokens [first, end): where each begins.
struct Lines {
  std::vector<std::size_t> begins;
  std::vector<double> widths;
};

double space_before(const SentenceToken& token, double type) {
  return type * (token.continues ? kPieceSpace : kSpace);
}

// Breaks lines before words, not between pieces of a word. Empty if one word is wider than the room.
Lines broken_at(const std::vector<SentenceToken>& tokens, std::size_t first, double type, double room) {
  Lines lines;
  for (std::size_t begin = first, end = first; begin < tokens.size(); begin = end) {
    double word = tokens[begin].width * type;
    for (end = begin + 1; end < tokens.size() && tokens[end].continues; ++end)
      word += space_before(tokens[end], type) + tokens[end].width * type;
    if (word > room) return {};
    const double space = type * kSpace;
    if (lines.begins.empty() || lines.widths.back() + space + word > room) {
      lines.begins.push_back(begin);
      lines.widths.push_back(word);
    } else {
      lines.widths.back() += space + word;
    }
  }
  return lines;
}

// As broken_at; several lines leave margins for beams.
Lines broken(const std::vector<SentenceToken>& tokens, std::size_t first, double type, double room) {
  const Lines lines = broken_at(tokens, first, type, room);
  return lines.begins.size() == 1 ? lines : broken_at(tokens, first, type, room - 2 * kPageMargin * type);
}

double line_height(double type, const SentenceArea& area, int label_rows) {
  return type * kLine + area.label_px * label_rows;
}

bool fits(const Lines& lines, double type, const SentenceArea& area, int label_rows = 1,
          double band = kLeastBand) {
  const double line = line_height(type, area, label_rows) + type * band;
  return !lines.begins.empty() && static_cast<double>(lines.begins.size()) * line <= area.place.height;
}

// The rows that the labels of all words need, one below the other where they would overlap, and one below a
// loop for its own; at most three, and no more than leave room for beams.
int label_rows(const std::vector<SentenceToken>& tokens, const Lines& lines, double type,
               const SentenceArea& area) {
  constexpr int kMostRows = 3;
  constexpr double kBandBesideRows = 1.5;
  double narrowest = area.label_width;  // distance between the middles of neighbours
  for (std::size_t i = lines.begins.front() + 1; i < tokens.size(); ++i)
    narrowest = std::min(narrowest,
                         (tokens[i - 1].width + tokens[i].width) / 2 * type + space_before(tokens[i], type));
  int rows = 1;
  while (rows < kMostRows && (rows * narrowest < area.label_width || rows == 1) &&
         fits(lines, type, area, rows + 1, kBandBesideRows))
    ++rows;
  return rows;
}

SentencePlan placed(const std::vector<SentenceToken>& tokens, std::size_t first, const Lines& lines,
                    double type, const SentenceArea& area) {
  const Rect& place = area.place;
  SentencePlan plan;
  plan.type_px = type;
  plan.first = static_cast<Index>(first);
  plan.place = place;
  plan.label_px = area.label_px;
  plan.label_rows = label_rows(tokens, lines, type, area);
  const double line_px = line_height(type, area, plan.label_rows);
  constexpr double kMostRoom = 7;  // in type sizes: beams need no more
  plan.beam_room = std::min(kMostRoom * type,
                            std::max(0.0, place.height / static_cast<double>(lines.begins.size()) - line_px));
  double y = place.y;
  for (std::size_t line = 0; line < lines.begins.size(); ++line) {
    y += plan.beam_room;
    double x = place.x + (place.width - lines.widths[line]) / 2;
    plan.lines.push_back({x, y, lines.widths[line], type * kLine});
    const std::size_t end = line + 1 < lines.begins.size() ? lines.begins[line + 1] : tokens.size();
    for (std::size_t i = lines.begins[line]; i < end; ++i) {
      if (i > lines.begins[line]) x += space_before(tokens[i], type);
      plan.words.push_back({x, y, tokens[i].width * type, type * kLine});
      x += tokens[i].width * type;
    }
    y += line_px;
  }
  return plan;
}

void add_curve(std::vector<Point>& path, const Point& lift_from, const Point& lift_to, const Point& to) {
  path.insert(path.end(), {lift_from, lift_to, to});
}

// An arc between two points of the same height; `most`: its largest height.
std::vector<Point> arc(const Point& from, const Point& to, double scale, double most) {
  const double lift = std::min(most, std::max(kLeastLift * scale, kBeamLift * std::abs(from.x - to.x)));
  // A cubic curve whose control points are lifted by 4/3 of a height reaches that height.
  const double top = from.y - lift * 4 / 3;
  return {from, {from.x, top}, {to.x, top}, to};
}

// From a word up to the words of a line above: out of the band above its own line into the margin, up to the
// other line, and over that line's words.
std::vector<Point> way_up(const SentencePlan& plan, Index low, Index high, double scale, double most) {
  const Point from = {plan.word(low).x + plan.word(low).width / 2, plan.word(low).y};
  const Point to = {plan.word(high).x + plan.word(high).width / 2, plan.word(high).y};
  double left = plan.place.right(), right = plan.place.x;
  for (std::size_t line = plan.line(high); line < plan.line(low); ++line) {
    left = std::min(left, plan.lines[line].x);
    right = std::max(right, plan.lines[line].right());
  }
  left -= kLane * plan.type_px;
  right += kLane * plan.type_px;
  const bool goes_left = from.x + to.x - 2 * left < 2 * right - from.x - to.x;
  const double lane = goes_left ? left : right;
  std::vector<Point> path = {from};
  const double band = from.y - most;
  add_curve(path, {from.x, band}, {lane, from.y}, {lane, band});
  add_curve(path, {lane, band}, {lane, to.y}, {lane, to.y});
  const std::vector<Point> last = arc({lane, to.y}, to, scale, most);
  add_curve(path, last[1], last[2], last[3]);
  return path;
}

constexpr double kLoopFeet = 0.15, kLoopSpread = 1.3, kLoopHalf = 0.65;  // shares of its height

// A loop below the bottom of a word, with its middle at x; no wider than the row of labels is high.
std::vector<Point> loop(double x, double bottom, double height) {
  const double low = bottom + height * 4 / 3;
  return {{x + kLoopFeet * height, bottom},
          {x + kLoopSpread * height, low},
          {x - kLoopSpread * height, low},
          {x - kLoopFeet * height, bottom}};
}

double loop_height(const SentencePlan& plan) {
  return 0.75 * plan.label_px;
}

// The middle of a word's loop and the left edge of its label. Where there is one row of labels, both stand
// side by side below the word, as far as the loop stays below it.
struct LoopPlace {
  double middle = 0, label = 0;
};
LoopPlace loop_place(const SentencePlan& plan, Index query, double label_width) {
  const Rect& word = plan.word(query);
  const double middle = word.x + word.width / 2, height = loop_height(plan);
  if (plan.label_rows > 1) return {middle, middle - label_width / 2};
  const double most = std::max(0.0, word.width / 2 - 2 * kLoopFeet * height);
  const double aside = std::min(most, (label_width + (1 - kLoopHalf) * height) / 2);
  const LoopPlace left = {middle - aside, middle - aside + height};
  if (left.label + label_width <= plan.place.right()) return left;
  return {middle + aside, middle + aside - height - label_width};
}

std::vector<Point> beam_path(const SentencePlan& plan, Index query, Index key, double scale, double most,
                             double label_width) {
  if (key == query)
    return loop(loop_place(plan, query, label_width).middle, plan.word(query).bottom(), loop_height(plan));
  const Rect &asks = plan.word(query), &word = plan.word(key);
  if (plan.line(query) == plan.line(key))
    return arc({asks.x + asks.width / 2, asks.y}, {word.x + word.width / 2, word.y}, scale, most);
  if (plan.line(key) < plan.line(query)) return way_up(plan, query, key, scale, most);
  std::vector<Point> path = way_up(plan, key, query, scale, most);
  std::reverse(path.begin(), path.end());
  return path;
}

// Below the word, in the first row in which it covers no other label and no loop. The label of a loop stands
// below it; where there is one row, beside it.
std::optional<Rect> label_place(const SentencePlan& plan, const SentenceBeam& beam, Index query, double width,
                                double height, const std::vector<Rect>& taken) {
  const Rect& word = plan.word(beam.key);
  const bool own = beam.key == query, below = own && plan.label_rows > 1;
  double x = own ? loop_place(plan, query, width).label : word.x + (word.width - width) / 2;
  if (!own || below) x = std::min(x, plan.place.right() - width);
  x = std::max(x, plan.place.x);
  for (int row = below ? 1 : 0; row < plan.label_rows; ++row) {
    const Rect label = {x, word.bottom() + 1 + row * plan.label_px, width, height};
    if (std::none_of(taken.begin(), taken.end(),
                     [&label](const Rect& other) { return overlap(label, other); }))
      return label;
  }
  return std::nullopt;
}

// The query's own label first, then the heaviest; those behind the first that has no place are left out.
void place_labels(const SentencePlan& plan, Index query, double width, double height,
                  SentenceBeams& planned) {
  std::vector<Rect> taken;
  for (SentenceBeam& own : planned.beams) {
    if (own.key != query) continue;
    const double half = kLoopHalf * loop_height(plan), middle = loop_place(plan, query, width).middle;
    taken.push_back({middle - half, plan.word(query).bottom(), 2 * half, plan.label_px});
    own.label = label_place(plan, own, query, width, height, taken);
    if (own.label) taken.push_back(*own.label);
  }
  for (auto beam = planned.beams.rbegin(); beam != planned.beams.rend(); ++beam) {
    if (beam->key == query) continue;
    beam->label = label_place(plan, *beam, query, width, height, taken);
    if (!beam->label) {
      planned.unlabelled = beam->weight;
      break;
    }
    taken.push_back(*beam->label);
  }
  for (SentenceBeam& beam : planned.beams)  // equal weights are treated alike
    if (planned.unlabelled && beam.key != query && beam.weight <= *planned.unlabelled) beam.label.reset();
}

// The curve of a chain at t, and the place within it, from 0 to 1.
std::pair<std::size_t, double> curve_at(const SentenceBeam& beam, double t) {
  const std::size_t curves = beam.path.size() / 3;
  const double along = std::clamp(t, 0.0, 1.0) * static_cast<double>(curves);
  const auto curve = std::min(curves - 1, static_cast<std::size_t>(along));
  return {curve, along - static_cast<double>(curve)};
}

// The length of a chain up to each of its points.
std::vector<double> lengths_along(const std::vector<Point>& points) {
  std::vector<double> along = {0};
  for (std::size_t i = 1; i < points.size(); ++i)
    along.push_back(along.back() + std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y));
  return along;
}

// The part of the chain between two lengths.
std::vector<Point> part_between(const std::vector<Point>& points, const std::vector<double>& along,
                                double from, double to) {
  std::vector<Point> part;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double length = along[i + 1] - along[i];
    if (along[i + 1] < from || along[i] > to || length <= 0) continue;
    const auto at = [&](double where) {
      const double t = std::clamp((where - along[i]) / length, 0.0, 1.0);
      return Point{std::lerp(points[i].x, points[i + 1].x, t), std::lerp(points[i].y, points[i + 1].y, t)};
    };
    if (part.empty()) part.push_back(at(from));
    part.push_back(at(to));
  }
  return part;
}

}  // namespace

std::size_t SentencePlan::line(Index token) const {
  const double y = word(token).y;
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [y](const Rect& one) { return one.y < y; }));
}

SentencePlan plan_sentence(const std::vector<SentenceToken>& tokens, const SentenceArea& area) {
  if (tokens.empty() || area.place.width <= 0 || area.place.height <= 0) return {};
  double smallest = area.type_px;
  for (const double planned : kTypeSizes) {
    const double type = planned * area.scale;
    if (type > area.type_px) continue;
    smallest = type;
    const Lines lines = broken(tokens, 0, type, area.place.width);
    if (fits(lines, type, area)) return placed(tokens, 0, lines, type, area);
  }
  for (std::size_t first = 1; first < tokens.size(); ++first) {
    if (tokens[first].continues) continue;
    const Lines lines = broken(tokens, first, smallest, area.place.width);
    if (fits(lines, smallest, area)) return placed(tokens, first, lines, smallest, area);
  }
  return {};
}

TokenLine plan_token_line(const std::vector<SentenceToken>& tokens, const Rect& place, double type_px,
                          Index around) {
  TokenLine line;
  const auto count = static_cast<Index>(tokens.size());
  if (around < 0 || around >= count) return line;
  const auto token = [&](Index i) -> const SentenceToken& { return tokens[static_cast<std::size_t>(i)]; };
  const double more = type_px;  // the place of the mark for tokens that are not shown
  // Grows to both sides of `around`, to the left first: a query looks back.
  Index begin = around, end = around + 1;
  double width = token(around).width * type_px;
  const auto fits = [&](Index from, Index to, double wide) {
    return wide + (from > 0 ? more : 0) + (to < count ? more : 0) <= place.width;
  };
  if (!fits(begin, end, width)) return line;
  for (bool grows = true; grows;) {
    grows = false;
    if (begin > 0) {
      const double wider = width + space_before(token(begin), type_px) + token(begin - 1).width * type_px;
      if ((grows = fits(begin - 1, end, wider))) {
        --begin;
        width = wider;
      }
    }
    if (end < count) {
      const double wider = width + space_before(token(end), type_px) + token(end).width * type_px;
      if (fits(begin, end + 1, wider)) {
        grows = true;
        ++end;
        width = wider;
      }
    }
  }
  line.first = begin;
  line.more_before = begin > 0;
  line.more_behind = end < count;
  double x = place.x + (begin > 0 ? more : 0);
  for (Index i = begin; i < end; ++i) {
    if (i > begin) x += space_before(token(i), type_px);
    line.words.push_back({x, place.y, token(i).width * type_px, place.height});
    x += token(i).width * type_px;
  }
  return line;
}

TokenLine from_right(TokenLine line, const Rect& place) {
  for (Rect& word : line.words)
    word.x = place.x + place.right() - word.right();
  line.from_right = true;
  return line;
}

SentencePlan plan_of_line(const TokenLine& line, const Rect& place, double type_px, double label_px) {
  SentencePlan plan;
  if (line.words.empty()) return plan;
  const Rect& word = line.words.front();
  plan.type_px = type_px;
  plan.first = line.first;
  plan.words = line.words;
  plan.lines = {{place.x, word.y, place.width, word.height}};
  plan.place = place;
  plan.beam_room = word.y - place.y;
  plan.label_px = label_px;
  return plan;
}

Point beam_point(const SentenceBeam& beam, double t) {
  const auto [curve, u] = curve_at(beam, t);
  const Point* const p = &beam.path[3 * curve];
  const double s = 1 - u;
  const double a = s * s * s, b = 3 * s * s * u, c = 3 * s * u * u, d = u * u * u;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

SentenceBeam grown_beam(const SentenceBeam& beam, double t) {
  const auto [curve, u] = curve_at(beam, t);
  // De Casteljau's construction.
  const auto between = [u = u](const Point& a, const Point& b) {
    return Point{a.x + u * (b.x - a.x), a.y + u * (b.y - a.y)};
  };
  const Point* const p = &beam.path[3 * curve];
  const Point first = between(p[0], p[1]), middle = between(p[1], p[2]), last = between(p[2], p[3]);
  const Point left = between(first, middle), right = between(middle, last);
  SentenceBeam part = beam;
  part.path.resize(3 * curve + 1);
  add_curve(part.path, first, left, between(left, right));
  return part;
}

std::vector<Point> beam_points(const SentenceBeam& beam) {
  const std::size_t count = kSegments * (beam.path.size() / 3);
  std::vector<Point> points;
  points.reserve(count + 1);
  for (std::size_t i = 0; i <= count; ++i)
    points.push_back(beam_point(beam, static_cast<double>(i) / static_cast<double>(count)));
  return points;
}

std::vector<std::vector<Point>> dashes_of(const std::vector<Point>& points, double dash) {
  if (points.empty()) return {};
  const std::vector<double> along = lengths_along(points);
  const double gaps = std::floor((along.back() / dash - 1) / 2);
  if (gaps < 1) return {points};
  const double pitch = (along.back() - dash) / gaps;
  std::vector<std::vector<Point>> dashes;
  for (double i = 0; i <= gaps; ++i)
    dashes.push_back(part_between(points, along, i * pitch, i * pitch + dash));
  return dashes;
}

const SentenceBeam* beam_under(const SentenceBeams& beams, const Point& at, double reach) {
  const SentenceBeam* nearest = nullptr;
  double least = reach;
  for (const SentenceBeam& beam : beams.beams)
    for (const Point& point : beam_points(beam)) {
      const double away = std::hypot(point.x - at.x, point.y - at.y) - beam.width / 2;
      if (away > least) continue;
      least = away;
      nearest = &beam;
    }
  return nearest;
}

double key_place(const SentencePlan& plan, Index last, const Point& at) {
  // The line of words whose beams and labels are around the point.
  std::size_t line = 0;
  while (line + 1 < plan.lines.size() && at.y > plan.lines[line].bottom() + plan.label_px * plan.label_rows)
    ++line;
  Index begin = plan.first;
  const Index end = std::min(last, plan.first + plan.count() - 1);
  while (begin < end && plan.line(begin) < line)
    ++begin;
  for (Index key = begin; key < end && plan.line(key + 1) == plan.line(key); ++key) {
    const Rect &word = plan.word(key), &next = plan.word(key + 1);
    const double leaves = word.x + 0.75 * word.width, arrives = next.x + 0.25 * next.width;
    if (at.x < arrives)
      return static_cast<double>(key) + std::clamp((at.x - leaves) / (arrives - leaves), 0.0, 1.0);
    begin = key + 1;
  }
  return static_cast<double>(begin);
}

SentenceBeams plan_beams(const SentencePlan& plan, const Eigen::RowVectorXf& weights, Index query,
                         double scale, double label_width, double label_height) {
  SentenceBeams planned;
  const double widest = std::max(1.0, std::min(kMostBeam * scale, plan.beam_room / 2));
  const double room = std::max(1.0, plan.beam_room - widest / 2 - 1);
  for (Index key = plan.first; key < plan.first + plan.count() && key < weights.size(); ++key) {
    const float weight = weights(key);
    if (!(weight >= kLeastBeam)) continue;  // NaN too
    SentenceBeam beam;
    beam.key = key;
    beam.weight = weight;
    const double most = key == query ? std::min(kMostLoop * scale, widest) : widest;
    beam.width = std::max(1.0, most * static_cast<double>(std::min(weight, 1.0f)));
    beam.path = beam_path(plan, query, key, scale, room, label_width);
    planned.beams.push_back(std::move(beam));
  }
  std::stable_sort(planned.beams.begin(), planned.beams.end(),
                   [](const SentenceBeam& a, const SentenceBeam& b) { return a.weight < b.weight; });
  place_labels(plan, query, label_width, label_height, planned);
  return planned;
}

}  // namespace headlight
