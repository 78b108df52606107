#include "app/figure/motion/row_motion.h"

#include <algorithm>
#include <cmath>

#include "engine/core/digits.h"

namespace headlight {
namespace {

constexpr double kSlotPad = 1;                 // planned pixels
constexpr double kFirst = 0.36, kLast = 0.74;  // the numbers change between these moments

using Keys = std::vector<MotionActor::Key>;

float magnitude_of(float value) {
  return std::isfinite(value) && value > 0 ? value : 0.0F;
}

class Row {
 public:
  Row(const RowMotion& motion, const MotionRoom& room) : m_(motion), make_(room) {}

  MotionPlan plan() {
    const std::vector<Rect> places = make_.matrices({&m_.before, &m_.after}, {"→"});
    from_ = cell_of(places[0], m_.before, m_.row, -1);
    to_ = cell_of(places[1], m_.after, m_.row, -1);
    make_.open_place(to_);
    make_.outline(from_, kFall);
    make_.outline(to_, 2);
    switch (m_.operation) {
      case RowOperation::Each:
        each();
        break;
      case RowOperation::Mask:
        mask();
        break;
      case RowOperation::Softmax:
        softmax();
        break;
      case RowOperation::Dropout:
        dropout();
        break;
    }
    make_.step(1, "The row falls into its place" + shared());
    constexpr double kSeconds = 2.6;
    return make_.finished(kSeconds);
  }

 private:
  Index count() const { return static_cast<Index>(m_.from.size()); }
  float from(Index i) const { return m_.from[static_cast<std::size_t>(i)]; }
  float to(Index i) const { return m_.to[static_cast<std::size_t>(i)]; }
  CellMark mark(Index i) const { return m_.marks[static_cast<std::size_t>(i)]; }
  bool masked(Index i) const { return mark(i) == CellMark::Masked; }
  Color from_color(Index i) const { return m_.from_colors.of(from(i)); }
  Color to_color(Index i) const { return m_.to_colors.of(to(i)); }
  Color quiet() const { return make_.style().quiet_text; }

  std::string shared() const {
    if (m_.total <= count()) return "";
    return "; each place is the largest of up to " +
           counted((m_.total + count() - 1) / std::max<Index>(1, count()), "key", "keys");
  }

  Rect slot(const Rect& line, Index i) const { return inset(slot_of(line, i, count()), make_.px(kSlotPad)); }
  Rect place_in(const Rect& row, Index i) const { return slot_of(row, i, count()); }

  // The names of the keys above a line, where all of them have room.
  void key_names(const Rect& line) {
    const double height = make_.style().label_size_px * 1.3,
                 width = line.width / static_cast<double>(count());
    if (line.y - height < make_.work().y || width < 3 * make_.style().label_size_px) return;
    for (Index i = 0; i < std::min(count(), static_cast<Index>(m_.labels.size())); ++i)
      make_.label(m_.labels[static_cast<std::size_t>(i)],
                  {line.x + width * static_cast<double>(i) + 2, line.y - height, width - 4, height},
                  Anchor::Middle, quiet(), kLifted - 0.1, 0.9);
  }

  std::optional<int> decimals(const std::vector<float>& values, const Rect& line) const {
    return fitting_decimals(make_, values, line.width / static_cast<double>(std::max<Index>(1, count())),
                            line.height, m_.decimals);
  }

  // A number of a row in a cell, from one moment to another. Keys that are masked have none.
  void written(float value, std::optional<int> decimals, const Rect& at, Color ink, double shown,
               double gone) {
    if (!decimals) return;
    Keys keys = {{shown, at, hidden(ink)}, {shown + 0.06, at, ink}};
    if (gone < 1) {
      keys.push_back({gone, at, ink});
      keys.push_back({gone + 0.06, at, hidden(ink)});
    }
    make_.number(number_text(value, *decimals), at.width, std::move(keys));
  }

  // The moment at which a key's number changes.
  double turn(Index i) const {
    return kFirst + (kLast - kFirst - 0.12) * static_cast<double>(i) /
                        static_cast<double>(std::max<Index>(1, count()));
  }

  void each() {
    const std::vector<Rect> lines =
        make_.label_lines(make_.lines(2, kMostLine), {m_.before.name, m_.after.name}, {kAppear, kFirst});
    key_names(lines[0]);
    const auto before = decimals(m_.from, lines[0]), after = decimals(m_.to, lines[1]);
    for (Index i = 0; i < count(); ++i) {
      const Rect above = slot(lines[0], i), below = slot(lines[1], i);
      const Color old_color = from_color(i), new_color = to_color(i);
      const double at = turn(i);
      make_.cell({{0, place_in(from_, i), hidden(old_color)},
                  {kAppear, place_in(from_, i), old_color},
                  {kLifted, above, old_color},
                  {at, above, old_color},
                  {at + 0.12, below, new_color},
                  {kFall, below, new_color},
                  {kFallen, place_in(to_, i), new_color}});
      written(from(i), before, above, text_on(old_color), kLifted - 0.06, at - 0.04);
      written(to(i), after, below, text_on(new_color), at + 0.1, kFall - 0.04);
    }
    sweep(lines);
    make_.step(kFirst - 0.02, "The row of " + m_.query + " lifts out of " + m_.before.name);
    make_.step(kFall, m_.why);
  }

  // What happens to every number, passing along the row.
  void sweep(const std::vector<Rect>& lines) {
    const double between = lines[1].y - lines[0].bottom(), width = make_.text_width(m_.how, FontFace::Number);
    if (between < make_.style().number_size_px || width > lines[0].width) return;
    const Rect begin = {lines[0].x, lines[0].bottom(), width, between};
    const Rect end = {lines[0].right() - width, lines[0].bottom(), width, between};
    const Color ink = make_.style().accent;
    make_.number(m_.how, width,
                 {{kLifted - 0.04, begin, hidden(ink)},
                  {kFirst - 0.02, begin, ink},
                  {kLast, end, ink},
                  {kLast + 0.06, end, hidden(ink)}});
  }

  void mask() {
    const std::vector<Rect> lines =
        make_.label_lines(make_.lines(2, kMostLine), {m_.before.name, "counted"}, {kAppear, 0.56});
    key_names(lines[0]);
    const auto before = decimals(m_.from, lines[0]);
    for (Index i = 0; i < count(); ++i)
      masked(i) ? fade(i, lines, before) : pass(i, lines, before);
    make_.step(kFirst, "The row of " + m_.query + " lifts out of " + m_.before.name);
    make_.step(0.6, "The query may not look at " + counted(m_.total - m_.allowed, "key", "keys") +
                        ": before anything is counted, −∞ is put there");
    make_.step(kFall, counted(m_.allowed, "key is", "keys are") + " counted");
  }

  void fade(Index i, const std::vector<Rect>& lines, std::optional<int> before) {
    const Rect above = slot(lines[0], i);
    const Color old_color = from_color(i);
    make_.cell({{0, place_in(from_, i), hidden(old_color)},
                {kAppear, place_in(from_, i), old_color},
                {kLifted, above, old_color},
                {kFirst, above, old_color},
                {0.56, above, hidden(old_color)}});
    written(from(i), before, above, text_on(old_color), kLifted - 0.06, kFirst + 0.02);
    frame(above, 0.46, kFall - 0.06);
    make_.number("−∞", above.width,
                 {{0.5, above, hidden(quiet())},
                  {0.58, above, quiet()},
                  {kFall - 0.06, above, quiet()},
                  {kFall, above, hidden(quiet())}});
  }

  // An empty place, outlined.
  void frame(const Rect& at, double shown, double gone) {
    MotionActor& actor = make_.cell({{shown, at, hidden(quiet())},
                                     {shown + 0.08, at, quiet()},
                                     {gone, at, quiet()},
                                     {gone + 0.06, at, hidden(quiet())}});
    actor.kind = MotionActor::Kind::Outline;
  }

  void pass(Index i, const std::vector<Rect>& lines, std::optional<int> before) {
    const Rect above = slot(lines[0], i), below = slot(lines[1], i);
    const Color color = from_color(i);
    make_.cell({{0, place_in(from_, i), hidden(color)},
                {kAppear, place_in(from_, i), color},
                {kLifted, above, color},
                {kFall, above, color},
                {kGone, above, hidden(color)}});
    make_.cell({{0.56, above, hidden(color)},
                {0.6, above, color},
                {0.74, below, to_color(i)},
                {kFall, below, to_color(i)},
                {kFallen, place_in(to_, i), to_color(i)}});
    written(from(i), before, above, text_on(color), kLifted - 0.06, kFall);
    written(to(i), before, below, text_on(to_color(i)), 0.72, kFall - 0.04);
  }

  // The room of bars: a line of numbers above them, and where they stand.
  struct Bars {
    Rect numbers, bars;
  };
  Bars bars_in(const Rect& room) const {
    const double line = std::min(make_.style().number_size_px * 1.6, room.height / 3);
    return {{room.x, room.y, room.width, line},
            {room.x, room.y + line, room.width, std::max(0.0, room.height - line)}};
  }
  Rect bar(const Rect& bars, Index i, double share) const {
    const Rect at = slot(bars, i);
    const double wide = std::min(at.width, make_.px(44)), high = std::clamp(share, 0.0, 1.0) * bars.height;
    return {at.x + (at.width - wide) / 2, bars.bottom() - high, wide, high};
  }

  void softmax() {
    const Rect& work = make_.work();
    const double line = std::min(make_.px(kMostLine), work.height / 4),
                 gap = std::min(make_.px(6), work.height / 16);
    const double name = std::min(make_.style().label_size_px * 1.3, work.height / 8);
    const std::vector<Rect> rows = make_.label_lines(
        {{work.x, work.y + name, work.width, line},
         {work.x, work.y + name + line + gap, work.width, work.height - name - 2 * line - 2 * gap},
         {work.x, work.bottom() - line, work.width, line}},
        {m_.before.name, m_.exponentials ? "e to the power of it" : "the scores", "of length 1"},
        {kAppear, kFirst, 0.56});
    key_names(rows[0]);
    const auto before = decimals(m_.from, rows[0]);
    for (Index i = 0; i < count(); ++i)
      lift_score(i, rows[0], before);
    swell(rows[1], rows[2]);
    make_.step(kFirst - 0.04, "The row of " + m_.query + " lifts out of " + m_.before.name);
    make_.step(0.54,
               std::string(m_.exponentials ? "Each score swells to its exponential" : "Each score is a bar") +
                   "; together they are " + number_text(m_.sum, m_.decimals));
    make_.step(kFall, m_.sum > 0
                          ? "Divided by their sum they pour into one bar of length 1: these are the weights"
                          : "There is nothing to share: all weights are 0");
  }

  void lift_score(Index i, const Rect& line, std::optional<int> before) {
    const Rect above = slot(line, i);
    const Color color = from_color(i);
    if (masked(i)) return frame(above, kAppear, kFall);
    make_.cell({{0, place_in(from_, i), hidden(color)},
                {kAppear, place_in(from_, i), color},
                {kLifted, above, color},
                {kFall, above, color},
                {kGone, above, hidden(color)}});
    written(from(i), before, above, text_on(color), kLifted - 0.06, kFall);
  }

  // Bars grow out of the scores, become the parts of one bar and fall into the row.
  void swell(const Rect& room, const Rect& one) {
    const Bars at = bars_in(room);
    float most = 0;
    for (const float value : m_.raised)
      most = std::max(most, magnitude_of(value));
    const auto raised = m_.raised_known ? decimals(m_.raised, at.numbers) : std::nullopt;
    double all = 0;
    for (Index i = 0; i < count(); ++i)
      all += static_cast<double>(magnitude_of(to(i)));
    double x = one.x;
    for (Index i = 0; i < count(); ++i) {
      const float value = magnitude_of(m_.raised[static_cast<std::size_t>(i)]);
      const double share = all > 0 ? static_cast<double>(magnitude_of(to(i))) / all : 0;
      const Rect part = {x, one.y, one.width * share, one.height};
      x += part.width;
      if (masked(i)) continue;
      const Rect low = bar(at.bars, i, 0),
                 high = bar(at.bars, i, most > 0 ? static_cast<double>(value / most) : 0);
      pour(i, low, high, part);
      if (!raised || value <= 0) continue;
      const Rect above = {slot(at.bars, i).x, high.y - at.numbers.height, slot(at.bars, i).width,
                          at.numbers.height};
      written(value, raised, above, make_.style().text, kFirst + 0.1, 0.54);
    }
  }

  void pour(Index i, const Rect& low, const Rect& high, const Rect& part) {
    const Color start = from_color(i), color = to_color(i);
    const Rect shown = part.width >= make_.px(4) ? Rect{part.x, part.y, part.width - 1, part.height} : part;
    make_.cell({{kLifted, low, hidden(start)},
                {kFirst - 0.02, low, start},
                {0.48, high, start},
                {0.56, high, color},
                {0.72, shown, color},
                {kFall, shown, color},
                {kFallen, place_in(to_, i), color}});
    const int decimals =
        make_.fits(number_text(to(i), m_.decimals), part.width - 4, part.height) ? m_.decimals : 2;
    if (make_.fits(number_text(to(i), decimals), part.width - 4, part.height))
      written(to(i), decimals, shown, text_on(color), 0.72, kFall - 0.04);
  }

  void dropout() {
    const Rect& work = make_.work();
    const double name = std::min(make_.style().label_size_px * 1.3, work.height / 8);
    const std::vector<Rect> rows = make_.label_lines(
        {{work.x, work.y + name, work.width, work.height - name}}, {m_.before.name}, {kAppear});
    const Bars at = bars_in({rows[0].x, rows[0].y, rows[0].width, rows[0].height});
    key_names(rows[0]);
    float most = 0;
    for (Index i = 0; i < count(); ++i)
      most = std::max({most, magnitude_of(from(i)), magnitude_of(to(i))});
    const auto before = decimals(m_.from, at.numbers), after = decimals(m_.to, at.numbers);
    const double scale = most > 0 ? 1 / static_cast<double>(most) : 0;
    for (Index i = 0; i < count(); ++i) {
      const Rect high = bar(at.bars, i, static_cast<double>(magnitude_of(from(i))) * scale);
      const Rect grown = bar(at.bars, i, static_cast<double>(magnitude_of(to(i))) * scale);
      mark(i) == CellMark::Dropped ? blink(i, high, before, at) : grow(i, high, grown, before, after, at);
    }
    Index dropped = 0;
    for (const CellMark mark : m_.marks)
      dropped += mark == CellMark::Dropped ? 1 : 0;
    make_.step(kFirst - 0.02, "The weights of " + m_.query + " lift out of " + m_.before.name);
    // Where several keys share a place, it is empty only if all of them were dropped.
    make_.step(0.56,
               (m_.total > count() ? "Some of them are" : counted(dropped, "of them is", "of them are")) +
                   std::string(" set to zero by chance"));
    make_.step(kFall, "Those that stay grow by 1/(1−p) = " + number_text(m_.factor, 2) +
                          ", so that their sum is the same on average");
  }

  Rect above(const Rect& bar, const Bars& at, Index i) const {
    return {slot(at.bars, i).x, bar.y - at.numbers.height, slot(at.bars, i).width, at.numbers.height};
  }

  void blink(Index i, const Rect& high, std::optional<int> before, const Bars& at) {
    const Color color = from_color(i);
    make_.cell({{0, place_in(from_, i), hidden(color)},
                {kAppear, place_in(from_, i), color},
                {kLifted, high, color},
                {kFirst, high, color},
                {kFirst + 0.06, high, with_opacity(color, 0.25)},
                {kFirst + 0.12, high, with_opacity(color, 0.9)},
                {kFirst + 0.2, high, hidden(color)}});
    frame(high, kFirst + 0.1, kFall);
    written(from(i), before, above(high, at, i), make_.style().text, kLifted - 0.06, kFirst + 0.08);
  }

  void grow(Index i, const Rect& high, const Rect& grown, std::optional<int> before, std::optional<int> after,
            const Bars& at) {
    const Color color = from_color(i), end = to_color(i);
    make_.cell({{0, place_in(from_, i), hidden(color)},
                {kAppear, place_in(from_, i), color},
                {kLifted, high, color},
                {0.58, high, color},
                {0.74, grown, end},
                {kFall, grown, end},
                {kFallen, place_in(to_, i), end}});
    written(from(i), before, above(high, at, i), make_.style().text, kLifted - 0.06, 0.56);
    written(to(i), after, above(grown, at, i), make_.style().text, 0.7, kFall - 0.02);
  }

  const RowMotion& m_;
  MotionMaker make_;
  Rect from_, to_;
};

}  // namespace

MotionPlan plan_row_motion(const RowMotion& motion, const MotionRoom& room) {
  if (motion.from.empty()) return {};
  return Row(motion, room).plan();
}

}  // namespace headlight
