#include "app/handout/class_picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "app/figure/plan/heatmap_figure.h"
#include "app/figure/plan/label_text.h"
#include "app/handout/guess_frame.h"
#include "app/handout/page_setter.h"
#include "app/lesson_text/lesson_labels.h"

namespace headlight {
namespace {

constexpr std::size_t kMostLines = 32;
constexpr double kRowHeight = 22, kBar = 12, kNumberWidth = 150;
// Between the row and the column of a marked cell (pair_name()).
constexpr const char* kArrows[] = {" → ", " ← "};

// The labels that have a line: all, or those that are right or were marked most, in their order.
std::vector<std::size_t> lines_of(const AnsweredQuestion& asked, const std::vector<double>& tally) {
  std::vector<std::size_t> lines(asked.labels.size());
  std::iota(lines.begin(), lines.end(), std::size_t{0});
  if (lines.size() <= kMostLines) return lines;
  const auto weight = [&](std::size_t i) {
    const bool right = i < asked.right.size() && asked.right[i] > 0;
    return tally[i] + (right && asked.kind == AnswerKind::Marks ? 1e6 : 0);
  };
  std::stable_sort(lines.begin(), lines.end(),
                   [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  lines.resize(kMostLines);
  std::sort(lines.begin(), lines.end());
  return lines;
}

class BarPicture {
 public:
  BarPicture(const AnsweredQuestion& asked, const FigureStyle& style, const MeasureText& measure)
      : asked_(asked),
        style_(style),
        measure_(measure),
        tally_(asked.tally()),
        names_(name_width(asked.labels, style, measure)) {
    drawing_.width = kTextWidth;
    set_ends();
  }

  FigureGrid take() {
    const std::vector<std::size_t> lines = lines_of(asked_, tally_);
    for (const std::size_t at : lines) {
      name(at);
      if (asked_.kind == AnswerKind::Numbers)
        numbers(at);
      else
        marks(at);
      y_ += kRowHeight;
    }
    if (lines.size() < asked_.labels.size()) say("+ " + std::to_string(asked_.labels.size() - lines.size()));
    FigureGrid figure;
    figure.width = kTextWidth;
    figure.height = drawing_.height = y_;
    figure.drawings.push_back({0, 0, std::move(drawing_)});
    return figure;
  }

 private:
  void set_ends() {
    high_ = asked_.kind == AnswerKind::Numbers ? 1 : static_cast<double>(asked_.readers.size());
    if (asked_.kind == AnswerKind::Marks) return;
    const auto widen = [&](double number) {
      low_ = std::min(low_, number);
      high_ = std::max(high_, number);
    };
    for (const double number : asked_.right)
      widen(number);
    for (const ReaderAnswer& reader : asked_.readers)
      for (const double number : reader.guess)
        widen(number);
  }

  double x_of(double number) const {
    const double width = kTextWidth - names_ - kNumberWidth;
    return names_ + width * (number - low_) / (high_ - low_);
  }
  double middle() const { return y_ + kRowHeight / 2; }

  void say(const std::string& text) {
    drawing_.texts.push_back(planned_label(style_, text, names_, middle(), Anchor::Start, style_.quiet_text));
    y_ += kRowHeight;
  }

  void name(std::size_t at) {
    const std::string label = shortened(asked_.labels[at], names_ - kNameGap, style_.label_size_px, measure_);
    drawing_.texts.push_back(
        planned_label(style_, label, names_ - kNameGap, middle(), Anchor::End, style_.text));
    drawing_.lines.push_back(
        {x_of(low_), y_ + kRowHeight - 1, x_of(high_), y_ + kRowHeight - 1, 1, style_.line});
  }

  void bar(double number, Color color) {
    const double zero = x_of(0), end = x_of(number);
    drawing_.fills.push_back({{std::min(zero, end), middle() - kBar / 2, std::abs(end - zero), kBar}, color});
  }

  void tell(const std::string& text) {
    drawing_.texts.push_back(planned_label(style_, text, kTextWidth - kNumberWidth + kNameGap, middle(),
                                           Anchor::Start, style_.text));
  }

  // The right bar, a thin mark for each guess, a longer one for their mean.
  void numbers(std::size_t at) {
    if (!asked_.right.empty()) bar(asked_.right[at], with_opacity(style_.series[0], 0.35));
    const double opacity = std::clamp(6 / static_cast<double>(asked_.readers.size()), 0.08, 0.8);
    for (const ReaderAnswer& reader : asked_.readers) {
      const double x = x_of(reader.guess[at]);
      drawing_.strokes.push_back({x, middle() - 7, x, middle() + 7, 1.5, with_opacity(style_.text, opacity)});
    }
    const double mean = x_of(tally_[at]);
    drawing_.strokes.push_back({mean, middle() - 10, mean, middle() + 10, 2, style_.error});
    std::string text = label(LessonLabel::Mean) + " " + asked_.number(tally_[at]);
    if (!asked_.right.empty())
      text = label(LessonLabel::RightMarks) + " " + asked_.number(asked_.right[at]) + " · " + text;
    tell(text);
  }

  void marks(std::size_t at) {
    const bool right = at < asked_.right.size() && asked_.right[at] > 0;
    bar(tally_[at], right ? style_.series[0] : style_.quiet_text);
    tell(number_text(tally_[at], 0) + " " + label(LessonLabel::Of) + " " +
         std::to_string(asked_.readers.size()) + (right ? ", " + label(LessonLabel::RightMarks) : ""));
  }

  std::string label(LessonLabel label) const { return label_text(asked_.language, label); }

  const AnsweredQuestion& asked_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  const std::vector<double> tally_;
  const double names_;  // the width of the labels
  Drawing drawing_;
  double low_ = 0, high_ = 1, y_ = 0;
};

// None if the labels are not those of all cells of a grid, row by row.
std::optional<CellNames> cell_names(const AnsweredQuestion& asked, const std::string& arrow) {
  if (asked.kind == AnswerKind::Numbers || asked.labels.empty()) return std::nullopt;
  CellNames names;
  const std::string first = asked.labels.front();
  if (first.find(arrow) == std::string::npos) return std::nullopt;
  // The first row's name is what the labels of its row have in common.
  const std::string row = first.substr(0, first.find(arrow) + arrow.size());
  std::size_t columns = 0;
  while (columns < asked.labels.size() && asked.labels[columns].starts_with(row))
    names.columns.push_back(asked.labels[columns++].substr(row.size()));
  if (asked.labels.size() % columns != 0) return std::nullopt;
  for (std::size_t i = 0; i < asked.labels.size(); ++i) {
    const std::string behind = arrow + names.columns[i % columns], &label = asked.labels[i];
    if (!label.ends_with(behind)) return std::nullopt;
    const std::string name = label.substr(0, label.size() - behind.size());
    if (i % columns == 0)
      names.rows.push_back(name);
    else if (name != names.rows.back())
      return std::nullopt;
  }
  return names;
}

std::optional<CellNames> cell_names(const AnsweredQuestion& asked) {
  for (const char* arrow : kArrows)
    if (auto names = cell_names(asked, arrow)) return names;
  return std::nullopt;
}

// Cells shaded by how many marked them, with their count; the right ones have a frame.
FigureGrid cell_picture(const AnsweredQuestion& asked, const CellNames& names, const FigureStyle& style,
                        const MeasureText& measure) {
  const std::vector<double> tally = asked.tally();
  auto [drawing, cells] = cell_frame(names, style, measure);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Rect& rect = cells[i];
    const double share = tally[i] / static_cast<double>(asked.readers.size());
    drawing.fills.push_back({rect, with_opacity(style.series[0], 0.75 * share)});
    if (i < asked.right.size() && asked.right[i] > 0)
      drawing.boxes.push_back({{rect.x + 1, rect.y + 1, rect.width - 2, rect.height - 2}, 2, style.text});
    if (tally[i] > 0)
      drawing.texts.push_back(planned_label(style, number_text(tally[i], 0), rect.x + rect.width / 2,
                                            rect.y + rect.height / 2, Anchor::Middle, style.text));
  }
  FigureGrid figure;
  figure.width = drawing.width;
  figure.height = drawing.height;
  figure.drawings.push_back({0, 0, std::move(drawing)});
  return figure;
}

}  // namespace

std::string class_picture_legend(const AnsweredQuestion& asked) {
  if (asked.kind == AnswerKind::Numbers) return label_text(asked.language, LessonLabel::BarsLegend);
  return cell_names(asked) ? label_text(asked.language, LessonLabel::CellsLegend) : "";
}

FigureGrid class_picture(const AnsweredQuestion& asked, const FigureStyle& style,
                         const MeasureText& measure) {
  constexpr std::size_t kMostRows = 24;
  const std::optional<CellNames> names = cell_names(asked);
  if (names && names->rows.size() <= kMostRows) return cell_picture(asked, *names, style, measure);
  return BarPicture(asked, style, measure).take();
}

}  // namespace headlight
