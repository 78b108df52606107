#include "app/figure/motion/mixing_motion.h"

#include <algorithm>
#include <cmath>

#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr double kMostPart = 26, kWeightPad = 8;  // planned pixels
constexpr double kDraw = 0.38, kDrawn = 0.56, kFlow = 0.62, kMixed = 0.78;

class Mixing {
 public:
  Mixing(const MixingMotion& motion, const MotionRoom& room) : m_(motion), make_(room) {}

  MotionPlan plan() {
    places_ = make_.matrices({&m_.weights, &m_.values, &m_.context}, {"·", "="});
    result_ = cell_of(places_[2], m_.context, m_.row, -1);
    make_.open_place(result_);
    make_.outline(cell_of(places_[0], m_.weights, m_.row, -1), kFall);
    make_.outline(result_, 2);
    place_lines();
    for (std::size_t i = 0; i < m_.parts.size(); ++i)
      part(i);
    others();
    mixed();
    captions();
    constexpr double kSeconds = 3;
    return make_.finished(kSeconds);
  }

 private:
  Index columns() const { return static_cast<Index>(m_.result.size()); }
  bool has_others() const { return m_.others > 0; }

  std::string others_name() const { return counted(m_.others, "other key", "other keys"); }

  // A line for each part, one for the others, and the line in which they meet.
  void place_lines() {
    std::vector<std::string> labels;
    std::vector<double> shown;
    for (const MixingMotion::Part& one : m_.parts) {
      labels.push_back(one.name);
      shown.push_back(kAppear);
    }
    if (has_others()) {
      labels.push_back(others_name());
      shown.push_back(kAppear);
    }
    labels.push_back(m_.context.name + " of " + m_.query);
    shown.push_back(kFlow);
    lines_ = make_.label_lines(make_.lines(labels.size(), kMostPart), labels, shown);
    const double number =
        make_.text_width(number_text(-1, m_.decimals), FontFace::Number) + make_.px(2 * kWeightPad);
    const double reserved = std::min(number, lines_[0].width * 0.3);
    for (Rect& line : lines_) {
      weights_.push_back({line.x, line.y, reserved, line.height});
      line.x += reserved;
      line.width -= reserved;
    }
    std::vector<float> numbers = m_.result;
    for (const MixingMotion::Part& one : m_.parts)
      numbers.insert(numbers.end(), one.value.begin(), one.value.end());
    decimals_ =
        fitting_decimals(make_, numbers, lines_[0].width / static_cast<double>(std::max<Index>(1, columns())),
                         lines_[0].height, m_.decimals);
  }

  Rect slot(const Rect& line, Index column) const {
    const Rect whole = slot_of(line, column, columns());
    return whole.width >= make_.px(6) ? inset(whole, make_.px(1)) : whole;
  }

  // The share of a line's height that a weight leaves of its value.
  double height_of(float weight) const {
    float most = std::abs(m_.others_weight);
    for (const MixingMotion::Part& one : m_.parts)
      most = std::max(most, std::abs(one.weight));
    const double share = most > 0 && std::isfinite(weight) ? std::abs(static_cast<double>(weight / most)) : 0;
    return std::clamp(share, 0.06, 1.0);
  }
  static Rect drawn_out(const Rect& cell, double share) {
    return {cell.x, cell.y + cell.height * (1 - share) / 2, cell.width, cell.height * share};
  }

  void part(std::size_t i) {
    const MixingMotion::Part& one = m_.parts[i];
    weight(i, one.weight, cell_of(places_[0], m_.weights, m_.row, one.column));
    const Rect row = cell_of(places_[1], m_.values, one.row, -1);
    make_.outline(row, kFall);
    const double share = height_of(one.weight);
    for (Index column = 0; column < std::min(columns(), static_cast<Index>(one.value.size())); ++column) {
      const float value = one.value[static_cast<std::size_t>(column)];
      const Color color = m_.value_colors.of(value);
      const Rect from = slot_of(row, column, columns()), at = slot(lines_[i], column);
      const Rect meet = slot(lines_.back(), column);
      make_.cell({{0, from, hidden(color)},
                  {kAppear, from, color},
                  {kLifted, at, color},
                  {kDraw, at, color},
                  {kDrawn, drawn_out(at, share), color},
                  {kFlow, drawn_out(at, share), color},
                  {kMixed, meet, color},
                  {kMixed + 0.04, meet, hidden(color)}});
      if (!decimals_) continue;
      const Color ink = text_on(color);
      make_.number(number_text(value, *decimals_), at.width,
                   {{kLifted - 0.06, at, hidden(ink)},
                    {kLifted, at, ink},
                    {kDraw, at, ink},
                    {kDraw + 0.08, at, hidden(ink)}});
    }
  }

  // The weight comes out of its row and stands before the value: "0.4242 ×".
  void weight(std::size_t line, float value, const Rect& from) {
    const Rect at = inset(weights_[line], make_.px(3));
    const Color color = m_.weight_colors.of(value), ink = text_on(color);
    make_.cell({{0, from, hidden(color)},
                {kAppear, from, color},
                {kLifted, at, color},
                {kFlow, at, color},
                {kFlow + 0.08, at, hidden(color)}});
    weight_number(value, at, ink);
  }
  void weight_number(float value, const Rect& at, Color ink) {
    for (const int decimals : {m_.decimals, 2}) {
      const std::string text = number_text(value, decimals);
      if (!make_.fits(text, at.width, at.height)) continue;
      make_.number(text, at.width,
                   {{kLifted - 0.06, at, hidden(ink)},
                    {kLifted, at, ink},
                    {kFlow, at, ink},
                    {kFlow + 0.08, at, hidden(ink)}});
      return;
    }
  }

  void others() {
    if (!has_others()) return;
    const std::size_t line = m_.parts.size();
    const Rect at = inset(weights_[line], make_.px(3));
    weight_number(m_.others_weight, at, make_.style().text);
    const Color color = make_.style().line;
    const Rect from = inset(places_[1], make_.px(1)), row = lines_[line],
               out = drawn_out(row, height_of(m_.others_weight));
    make_.cell({{0, from, hidden(color)},
                {kAppear, from, hidden(color)},
                {kLifted, row, color},
                {kDraw, row, color},
                {kDrawn, out, color},
                {kFlow, out, color},
                {kMixed, lines_.back(), color},
                {kMixed + 0.04, lines_.back(), hidden(color)}});
  }

  void mixed() {
    for (Index column = 0; column < columns(); ++column) {
      const float value = m_.result[static_cast<std::size_t>(column)];
      const Color color = m_.context_colors.of(value), ink = text_on(color);
      const Rect at = slot(lines_.back(), column), to = slot_of(result_, column, columns());
      make_.cell({{kMixed - 0.06, at, hidden(color)},
                  {kMixed, at, color},
                  {kFall, at, color},
                  {kFallen, to, color}});
      if (!decimals_) continue;
      make_.number(number_text(value, *decimals_), at.width,
                   {{kMixed - 0.04, at, hidden(ink)},
                    {kMixed + 0.02, at, ink},
                    {kFall, at, ink},
                    {kFall + 0.05, at, hidden(ink)}});
    }
  }

  void captions() {
    const std::string rest =
        has_others() ? "; " + others_name() + " together have " + number_text(m_.others_weight, m_.decimals)
                     : "";
    make_.step(kDraw, "Every key has a weight, and a row of values" + rest);
    make_.step(kFlow - 0.02, "Each row of values is drawn out by its weight");
    make_.step(kFall, "They flow together, column by column: the " + m_.context.name + " of " + m_.query);
    make_.step(1, "The row falls into its place");
  }

  const MixingMotion& m_;
  MotionMaker make_;
  std::vector<Rect> places_, lines_, weights_;
  Rect result_;
  std::optional<int> decimals_;
};

}  // namespace

std::size_t fitting_parts(const MotionRoom& room) {
  const MotionMaker maker(room);
  const double line = room.style.number_size_px * 1.8;
  constexpr double kOtherLines = 2, kMostParts = 12;
  return static_cast<std::size_t>(
      std::clamp(std::floor(maker.work().height / line) - kOtherLines, 1.0, kMostParts));
}

MotionPlan plan_mixing(const MixingMotion& motion, const MotionRoom& room) {
  if (motion.parts.empty() || motion.result.empty()) return {};
  return Mixing(motion, room).plan();
}

}  // namespace headlight
