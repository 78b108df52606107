#include "app/figure/motion/joining_motion.h"

#include <algorithm>

#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr double kApart = 0.34, kTogether = 0.68;  // the rows stand one below the other, then side by side

class Joining {
 public:
  Joining(const JoiningMotion& motion, const MotionRoom& room) : m_(motion), make_(room) {}

  MotionPlan plan() {
    std::vector<const MotionMatrix*> all;
    std::vector<std::string> signs(m_.heads.size());
    for (const MotionMatrix& head : m_.heads)
      all.push_back(&head);
    all.push_back(&m_.joined);
    signs.back() = "→";
    places_ = make_.matrices(all, signs);
    result_ = cell_of(places_.back(), m_.joined, m_.row, -1);
    make_.open_place(result_);
    make_.outline(result_, 2);
    place_lines();
    for (std::size_t head = 0; head < m_.heads.size(); ++head)
      join(head);
    make_.step(kApart, "Every head has computed a row of its own for " + m_.query);
    make_.step(kFall,
               "They are put side by side: " + counted(static_cast<Index>(m_.heads.size()), "head", "heads") +
                   ", one row" + off_note());
    make_.step(1, "The row falls into its place in " + m_.joined.name);
    constexpr double kSeconds = 2.2;
    return make_.finished(kSeconds);
  }

 private:
  std::string off_note() const {
    return std::find(m_.off.begin(), m_.off.end(), true) == m_.off.end() ? ""
                                                                         : "; heads that are off leave zeros";
  }

  // The heads' rows are steps of a stair, one below the other, each above its part of the joined row.
  void place_lines() {
    const std::size_t count = m_.heads.size();
    std::vector<Rect> lines = make_.lines(count + 1, kMostLine);
    joined_ = lines.back();
    std::vector<float> numbers;
    for (std::size_t head = 0; head < count; ++head) {
      apart_.push_back(slot_of(lines[head], static_cast<Index>(head), static_cast<Index>(count)));
      numbers.insert(numbers.end(), m_.rows[head].begin(), m_.rows[head].end());
    }
    const double columns = static_cast<double>(std::max<std::size_t>(1, numbers.size()));
    decimals_ = fitting_decimals(make_, numbers, joined_.width / columns, joined_.height, m_.decimals);
  }

  void join(std::size_t head) {
    const std::vector<float>& row = m_.rows[head];
    const auto columns = static_cast<Index>(row.size());
    if (columns == 0) return;
    const Index count = static_cast<Index>(m_.heads.size()), at = static_cast<Index>(head);
    const Rect from = cell_of(places_[head], m_.heads[head], m_.head_row, -1);
    make_.outline(from, kFall);
    const Rect line = apart_[head], together = slot_of(joined_, at, count), end = slot_of(result_, at, count);
    const double name = make_.style().label_size_px * 1.3;
    if (line.y - name >= make_.work().y - name / 2 && head == 0)
      name_of(head, {line.right(), line.y, make_.work().right() - line.right(), line.height});
    else
      name_of(head, {make_.work().x, line.y, line.x - make_.work().x - make_.px(6), line.height});
    const double late = 0.08 * static_cast<double>(head) / static_cast<double>(count);
    for (Index i = 0; i < columns; ++i)
      number(row[static_cast<std::size_t>(i)], head,
             {slot_of(from, i, columns), part(line, i, columns), part(together, i, columns),
              slot_of(end, i, columns)},
             late);
    frame(head, line, together);
  }

  Rect part(const Rect& line, Index i, Index count) const {
    const Rect whole = slot_of(line, i, count);
    return whole.width >= make_.px(6) ? inset(whole, make_.px(1)) : whole;
  }

  void name_of(std::size_t head, const Rect& place) {
    const bool right = head == 0;
    make_.label(m_.names[head], inset(place, make_.px(4)), right ? Anchor::Start : Anchor::End,
                make_.style().quiet_text, kAppear + 0.1, kApart + 0.04);
  }

  struct Way {
    Rect matrix, apart, together, result;
  };
  void number(float value, std::size_t head, const Way& way, double late) {
    const Color color = m_.colors[head].of(value), end = m_.joined_colors.of(value), ink = text_on(color);
    make_.cell({{0, way.matrix, hidden(color)},
                {kAppear, way.matrix, color},
                {kLifted, way.apart, color},
                {kApart + late, way.apart, color},
                {kTogether - 0.08 + late, way.together, end},
                {kFall, way.together, end},
                {kFallen, way.result, end}});
    if (!decimals_) return;
    make_.number(number_text(value, *decimals_), std::min(way.apart.width, way.together.width),
                 {{kLifted - 0.06, way.apart, hidden(ink)},
                  {kLifted, way.apart, ink},
                  {kApart + late, way.apart, ink},
                  {kTogether - 0.08 + late, way.together, ink},
                  {kFall, way.together, ink},
                  {kFall + 0.05, way.together, hidden(ink)}});
  }

  // The head's colour around its row, on its way into the joined one.
  void frame(std::size_t head, const Rect& line, const Rect& together) {
    const Color color = m_.marks[head];
    MotionActor& actor = make_.cell({{kLifted - 0.06, line, hidden(color)},
                                     {kLifted, line, color},
                                     {kApart, line, color},
                                     {kTogether, together, color},
                                     {kFall, together, color},
                                     {kFall + 0.06, together, hidden(color)}});
    actor.kind = MotionActor::Kind::Outline;
  }

  const JoiningMotion& m_;
  MotionMaker make_;
  std::vector<Rect> places_, apart_;
  Rect joined_, result_;
  std::optional<int> decimals_;
};

}  // namespace

MotionPlan plan_joining(const JoiningMotion& motion, const MotionRoom& room) {
  if (motion.heads.empty()) return {};
  return Joining(motion, room).plan();
}

}  // namespace headlight
