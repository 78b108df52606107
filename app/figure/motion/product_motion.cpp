#include "app/figure/motion/product_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr double kSumPad = 6, kMostSlot = 110;  // planned pixels
constexpr double kLeastPart = 3;                // planned pixels, of a cell without number
constexpr double kMultiply = 0.38, kMultiplied = 0.62, kAdd = 0.65, kAdded = 0.8;
constexpr double kStagger = 0.1;  // from the first pair to the last

class Product {
 public:
  Product(const ProductMotion& motion, const MotionRoom& room) : m_(motion), make_(room) {}

  MotionPlan plan() {
    places_ = make_.matrices({&m_.left, &m_.right, &m_.result}, {"·", "="});
    const Rect result = cell_of(places_[2], m_.result, m_.row, m_.column);
    make_.open_place(result);
    make_.outline(cell_of(places_[0], m_.left, m_.left_row, -1), kFall);
    make_.outline(cell_of(places_[1], m_.right, -1, m_.right_column), kFall);
    make_.outline(result, 2);
    place_lines();
    for (Index i = 0; i < count(); ++i)
      lift(i);
    for (Index group = 0; group < groups_; ++group)
      multiply(group);
    add_up(result);
    captions();
    constexpr double kSeconds = 2.8;
    return make_.finished(kSeconds);
  }

 private:
  Index pairs() const { return static_cast<Index>(m_.terms.size()); }
  // The bias is one more product, with 1.
  Index count() const { return pairs() + (m_.bias ? 1 : 0); }
  Term term(Index i) const { return i < pairs() ? m_.terms[static_cast<std::size_t>(i)] : Term{*m_.bias, 1}; }
  Index group_of(Index i) const { return i * groups_ / count(); }
  Index first_of(Index group) const { return (group * count() + groups_ - 1) / groups_; }

  float sum_of(Index group) const {
    double sum = 0;
    for (Index i = first_of(group); i < first_of(group + 1); ++i)
      sum += static_cast<double>(term(i).product());
    return static_cast<float>(sum);
  }

  // The most decimals with which all factors and products have room, each pair in a place of its own.
  std::optional<int> decimals_of_pairs(double slot) const {
    std::vector<float> numbers;
    for (Index i = 0; i < count(); ++i)
      numbers.insert(numbers.end(), {term(i).left, term(i).right, term(i).product()});
    return fitting_decimals(make_, numbers, slot, lines_[0].height, m_.decimals);
  }

  void place_lines() {
    const std::string sum = "= " + number_text(m_.value, m_.decimals);
    const double beside = make_.text_width(sum, FontFace::Number) + make_.px(2 * kSumPad);
    lines_ = make_.label_lines(make_.lines(3, kMostLine), {m_.left_name, "× " + m_.right_name, "products"},
                               {kAppear, kAppear, kMultiply});
    const double reserved = std::min(beside, lines_[2].width * 0.4);
    sum_ = {lines_[2].right() - reserved, lines_[2].y, reserved, lines_[2].height};
    for (Rect& line : lines_)
      line.width -= reserved + std::min(make_.px(kSumPad), reserved / 4);
    // Few numbers need not fill the whole line.
    const double most = static_cast<double>(std::max<Index>(1, count())) * make_.px(kMostSlot);
    const double line = std::clamp(lines_[0].width, 0.0, most);
    for (Rect& one : lines_)
      one.width = line;
    sum_.x = std::min(sum_.x, lines_[2].right() + make_.px(kSumPad));
    groups_ = std::max<Index>(1, count());
    decimals_ = decimals_of_pairs(line / static_cast<double>(groups_));
    if (decimals_) return;
    // Their sums are at most as long as the number with the most digits of the value and the products.
    const double number = make_.text_width(number_text(-10, 2), FontFace::Number) + make_.px(2 * kSumPad);
    const auto fitting = static_cast<Index>(std::max(1.0, line / number));
    groups_ = std::min(groups_, fitting);
    parts_ =
        std::max<Index>(1, static_cast<Index>(line / static_cast<double>(groups_) / make_.px(kLeastPart)));
  }

  Rect slot(std::size_t line, Index group) const {
    return inset(slot_of(lines_[line], group, groups_), make_.px(1.5));
  }
  // Where a pair is within its group's place: one of a few parts, the first pairs of which are drawn.
  std::optional<Rect> part(std::size_t line, Index i) const {
    const Index group = group_of(i), first = first_of(group), size = first_of(group + 1) - first;
    const Index parts = std::min(size, decimals_ ? size : parts_);
    const Index at = (i - first) * parts / size;
    if (i > first && (i - 1 - first) * parts / size == at) return std::nullopt;
    return slot_of(slot(line, group), at, parts);
  }

  // A factor flies from its place in the matrix to its place in the line, and on to the product.
  // A factor flies from its place in the matrix to its place in the line, where it stays, and from there into
  // the product.
  void factor(Index i, float value, const CellColors& colors, const Rect& from, std::size_t line) {
    const auto to = part(line, i);
    if (!to) return;
    const double late = kStagger * static_cast<double>(group_of(i)) / static_cast<double>(groups_);
    const Color on = colors.of(value), off = hidden(on);
    const double begin = kMultiply + late, end = begin + kMultiplied - kMultiply - kStagger;
    const Rect meet = *part(2, i);
    make_.cell(
        {{0, from, off}, {kAppear, from, on}, {kLifted, *to, on}, {kFall, *to, on}, {kGone, *to, off}});
    make_.cell({{begin - 0.04, *to, off}, {begin, *to, on}, {end, meet, on}, {end + 0.03, meet, off}});
    if (!decimals_) return;
    const Color ink = text_on(on);
    make_.number(number_text(value, *decimals_), to->width,
                 {{kLifted - 0.12, *to, hidden(ink)},
                  {kLifted, *to, ink},
                  {kFall, *to, ink},
                  {kGone, *to, hidden(ink)}});
  }

  void lift(Index i) {
    if (!part(0, i)) return;
    const Term pair = term(i);
    const Rect row = cell_of(places_[0], m_.left, m_.left_row, -1),
               column = cell_of(places_[1], m_.right, -1, m_.right_column);
    // The bias has no place in the matrices: it appears behind the last pair.
    const bool bias = i >= pairs();
    const Rect from_left = bias ? *part(0, i) : slot_of(row, i, pairs());
    const double high = column.height / static_cast<double>(std::max<Index>(1, pairs()));
    const Rect from_right =
        bias ? *part(1, i) : Rect{column.x, column.y + high * static_cast<double>(i), column.width, high};
    factor(i, pair.left, m_.left_colors, from_left, 0);
    if (!bias) factor(i, pair.right, m_.right_colors, from_right, 1);
  }

  // The product, or the sum of a group of products, and its way to the sum.
  void multiply(Index group) {
    const Rect at = slot(2, group);
    const float value = sum_of(group);
    const double late = kStagger * static_cast<double>(group) / static_cast<double>(groups_);
    const double shown = kMultiply + late + kMultiplied - kMultiply - kStagger;
    const Color on = m_.result_colors.of(value), off = with_opacity(on, 0);
    const Rect end = inset(sum_, sum_.height / 4);
    make_.cell({{shown - 0.05, at, off},
                {shown, at, on},
                {kAdd, at, on},
                {kAdded, end, on},
                {kAdded + 0.03, end, off}});
    const int decimals = decimals_.value_or(2);
    const Color ink = text_on(on), none = with_opacity(ink, 0);
    make_.number(number_text(value, decimals), at.width,
                 {{shown - 0.04, at, none}, {shown, at, ink}, {kAdd, at, ink}, {kAdd + 0.08, at, none}});
  }

  void add_up(const Rect& result) {
    const Color on = m_.result_colors.of(m_.value), off = with_opacity(on, 0);
    const Rect start = inset(sum_, sum_.height / 4);
    make_.cell({{kAdded - 0.08, start, off}, {kAdded, start, on}, {kFall, start, on}, {kFallen, result, on}});
    const Color text = make_.style().text, none = with_opacity(text, 0), ink = text_on(on);
    const std::string value = number_text(m_.value, m_.decimals);
    // The sum's cell is as large as its number, which stays beside it once the cell has left.
    make_.number(value, start.width,
                 {{kAdded - 0.06, start, with_opacity(ink, 0)},
                  {kAdded, start, ink},
                  {kFall, start, ink},
                  {kFall + 0.05, start, with_opacity(ink, 0)}});
    make_.number("= " + value, sum_.width, {{kFall + 0.03, sum_, none}, {kFall + 0.1, sum_, text}});
    if (make_.fits(value, result.width - 2, result.height))
      make_.number(value, result.width,
                   {{kFallen - 0.05, result, with_opacity(ink, 0)}, {kFallen, result, ink}});
  }

  void captions() {
    make_.step(kMultiply, "The row of " + m_.left.name + " and the column of " + m_.right.name +
                              " come together: " + counted(pairs(), "pair", "pairs") + " of numbers");
    const std::string bias = m_.bias ? "; the bias is added as it is" : "";
    if (decimals_)
      make_.step(kAdd, "They are multiplied pair by pair" + bias);
    else
      make_.step(kAdd, "They are multiplied pair by pair: " + counted(count(), "product", "products") +
                           ", summed in " + counted(groups_, "group", "groups") + bias);
    const std::string sum = number_text(m_.value, m_.decimals);
    make_.step(kFall, "The products add up to " + sum);
    make_.step(1, sum + " falls into its cell: " + m_.result_name);
  }

  const ProductMotion& m_;
  MotionMaker make_;
  std::vector<Rect> places_, lines_;
  Rect sum_;
  Index groups_ = 1, parts_ = 1;
  std::optional<int> decimals_;  // of the numbers of the pairs; nullopt: they are summed in groups
};

}  // namespace

MotionPlan plan_product(const ProductMotion& motion, const MotionRoom& room) {
  if (motion.terms.empty()) return {};
  return Product(motion, room).plan();
}

}  // namespace headlight
