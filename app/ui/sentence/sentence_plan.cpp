#include "app/ui/sentence/sentence_plan.h"

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

// The lines of tokens [first, end): where each begins.
struct Lines {
  std::vector<std::size_t> begins;
  std::vector<double> widths;
};

double space_before(const SentenceToken& token, double type) {
  return type * (token.continues ? kPieceSpace : kSpace);
}

// Breaks lines before words, not between pieces of a word. Empty if one word is wider than the room.
Lines broken(const std::vector<SentenceToken>& tokens, std::size_t first, double type, double room) {
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

// Free height above each line for beams.
double beam_room_of(std::size_t lines, double line, double height) {
  const double words = static_cast<double>(lines) * line;
  return std::max(0.0, (height - words) / static_cast<double>(std::max<std::size_t>(1, lines)));
}

bool fits(const Lines& lines, double type, double label, double height) {
  constexpr double kLeastBeamRoom = 0.5;  // in type sizes
  const double line = type * (kLine + kLeastBeamRoom) + label;
  return !lines.begins.empty() && static_cast<double>(lines.begins.size()) * line <= height;
}

SentencePlan placed(const std::vector<SentenceToken>& tokens, std::size_t first, const Lines& lines,
                    double type, const SentenceArea& area) {
  const Rect& place = area.place;
  SentencePlan plan;
  plan.type_px = type;
  plan.first = static_cast<Index>(first);
  const double most = 7 * type;  // beams need no more
  plan.beam_room =
      std::min(most, beam_room_of(lines.begins.size(), type * kLine + area.label_px, place.height));
  double y = place.y;
  for (std::size_t line = 0; line < lines.begins.size(); ++line) {
    y += plan.beam_room;
    double x = place.x + (place.width - lines.widths[line]) / 2;
    const std::size_t end = line + 1 < lines.begins.size() ? lines.begins[line + 1] : tokens.size();
    for (std::size_t i = lines.begins[line]; i < end; ++i) {
      if (i > lines.begins[line]) x += space_before(tokens[i], type);
      plan.words.push_back({x, y, tokens[i].width * type, type * kLine});
      x += tokens[i].width * type;
    }
    y += type * kLine + area.label_px;
  }
  const double widest = *std::max_element(lines.widths.begin(), lines.widths.end());
  plan.bounds = {place.x + (place.width - widest) / 2, place.y, widest, y - place.y};
  return plan;
}

// Below the key's word, if no heavier beam's label is there.
std::optional<Rect> label_place(const Rect& word, double width, double height,
                                const std::vector<SentenceBeam>& beams) {
  const Rect label = {word.x + (word.width - width) / 2, word.bottom() + 1, width, height};
  for (const SentenceBeam& other : beams)
    if (other.label && overlap(label, *other.label)) return std::nullopt;
  return label;
}

}  // namespace

SentencePlan plan_sentence(const std::vector<SentenceToken>& tokens, const SentenceArea& area) {
  if (tokens.empty() || area.place.width <= 0 || area.place.height <= 0) return {};
  double smallest = area.type_px;
  for (const double planned : kTypeSizes) {
    const double type = planned * area.scale;
    if (type > area.type_px) continue;
    smallest = type;
    const Lines lines = broken(tokens, 0, type, area.place.width);
    if (fits(lines, type, area.label_px, area.place.height)) return placed(tokens, 0, lines, type, area);
  }
  for (std::size_t first = 1; first < tokens.size(); ++first) {
    if (tokens[first].continues) continue;
    const Lines lines = broken(tokens, first, smallest, area.place.width);
    if (fits(lines, smallest, area.label_px, area.place.height))
      return placed(tokens, first, lines, smallest, area);
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

Point beam_point(const SentenceBeam& beam, double t) {
  const double s = 1 - t;
  const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * beam.from.x + b * beam.lift_from.x + c * beam.lift_to.x + d * beam.to.x,
          a * beam.from.y + b * beam.lift_from.y + c * beam.lift_to.y + d * beam.to.y};
}

SentenceBeam grown_beam(const SentenceBeam& beam, double t) {
  // De Casteljau's construction.
  const auto between = [t](const Point& a, const Point& b) {
    return Point{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
  };
  SentenceBeam part = beam;
  const Point first = between(beam.from, beam.lift_from), middle = between(beam.lift_from, beam.lift_to),
              last = between(beam.lift_to, beam.to);
  const Point left = between(first, middle), right = between(middle, last);
  part.lift_from = first;
  part.lift_to = left;
  part.to = between(left, right);
  return part;
}

std::vector<SentenceBeam> plan_beams(const SentencePlan& plan, const Eigen::RowVectorXf& weights, Index query,
                                     double scale, double label_width, double label_height) {
  std::vector<SentenceBeam> beams;
  const Rect& asks = plan.word(query);
  const double room = std::max(1.0, plan.beam_room - kMostBeam * scale / 2 - 2);
  for (Index key = plan.first; key < plan.first + plan.count() && key < weights.size(); ++key) {
    const float weight = weights(key);
    if (!(weight >= kLeastBeam)) continue;  // NaN too
    SentenceBeam beam;
    beam.key = key;
    beam.weight = weight;
    beam.width = std::max(1.0, kMostBeam * scale * static_cast<double>(std::min(weight, 1.0f)));
    const Rect& word = plan.word(key);
    double x = asks.x + asks.width / 2, to = word.x + word.width / 2;
    if (key == query) {  // a loop above the word
      const double half = std::max(beam.width, 0.3 * asks.width);
      x += half;
      to -= half;
    }
    const double distance = std::abs(x - to) + 2 * std::abs(asks.y - word.y);
    const double lift = std::min(room, std::max(kLeastLift * scale, kBeamLift * distance));
    // A cubic curve whose control points are lifted by 4/3 of a height reaches that height.
    const double top = std::min(asks.y, word.y) - lift * 4 / 3;
    beam.from = {x, asks.y};
    beam.to = {to, word.y};
    beam.lift_from = {x, top};
    beam.lift_to = {to, top};
    beams.push_back(beam);
  }
  std::stable_sort(beams.begin(), beams.end(),
                   [](const SentenceBeam& a, const SentenceBeam& b) { return a.weight < b.weight; });
  for (std::size_t i = beams.size(); i-- > 0;)
    beams[i].label = label_place(plan.word(beams[i].key), label_width, label_height, beams);
  return beams;
}

}  // namespace headlight
