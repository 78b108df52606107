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

// Free height above a line for beams: at least as much as two lines of words, less where there are many.
double beam_room_of(std::size_t lines, double type, double height) {
  const double words = static_cast<double>(lines) * type * kLine;
  return std::max(0.0, (height - words) / static_cast<double>(std::max<std::size_t>(1, lines)));
}

bool fits(const Lines& lines, double type, double height) {
  constexpr double kLeastBeamRoom = 0.5;  // in type sizes
  return !lines.begins.empty() &&
         static_cast<double>(lines.begins.size()) * type * (kLine + kLeastBeamRoom) <= height;
}

SentencePlan placed(const std::vector<SentenceToken>& tokens, std::size_t first, const Lines& lines,
                    double type, const Rect& place) {
  SentencePlan plan;
  plan.type_px = type;
  plan.first = static_cast<Index>(first);
  const double most = 7 * type;  // beams need no more
  plan.beam_room = std::min(most, beam_room_of(lines.begins.size(), type, place.height));
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
    y += type * kLine;
  }
  const double widest = *std::max_element(lines.widths.begin(), lines.widths.end());
  plan.bounds = {place.x + (place.width - widest) / 2, place.y, widest, y - place.y};
  return plan;
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// The text beside a beam's highest point, if it is free there.
std::optional<Rect> label_place(const SentencePlan& plan, const SentenceBeam& beam, double width,
                                double height, const std::vector<SentenceBeam>& others) {
  const Point top = beam_point(beam, 0.5);
  const Rect label = {top.x - width / 2, top.y - beam.width / 2 - height - 2, width, height};
  for (const Rect& word : plan.words)
    if (overlap(label, word)) return std::nullopt;
  for (const SentenceBeam& other : others) {
    if (other.label && overlap(label, *other.label)) return std::nullopt;
    constexpr int kSteps = 24;
    for (int step = 0; step <= kSteps && other.key != beam.key; ++step) {
      const Point at = beam_point(other, static_cast<double>(step) / kSteps);
      const double half = other.width / 2;
      if (overlap(label, {at.x - half, at.y - half, other.width, other.width})) return std::nullopt;
    }
  }
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
    if (fits(lines, type, area.place.height)) return placed(tokens, 0, lines, type, area.place);
  }
  for (std::size_t first = 1; first < tokens.size(); ++first) {
    if (tokens[first].continues) continue;
    const Lines lines = broken(tokens, first, smallest, area.place.width);
    if (fits(lines, smallest, area.place.height)) return placed(tokens, first, lines, smallest, area.place);
  }
  return {};
}

Point beam_point(const SentenceBeam& beam, double t) {
  const double s = 1 - t;
  const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * beam.from.x + b * beam.lift_from.x + c * beam.lift_to.x + d * beam.to.x,
          a * beam.from.y + b * beam.lift_from.y + c * beam.lift_to.y + d * beam.to.y};
}

std::vector<SentenceBeam> plan_beams(const SentencePlan& plan, const Eigen::RowVectorXf& weights, Index query,
                                     double scale, double label_width, double label_height) {
  std::vector<SentenceBeam> beams;
  const Rect& asks = plan.word(query);
  const double room = std::max(1.0, plan.beam_room - label_height - kMostBeam * scale / 2 - 4);
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
    beams[i].label = label_place(plan, beams[i], label_width, label_height, beams);
  return beams;
}

}  // namespace headlight
