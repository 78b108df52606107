#include "app/figure/plan/steps_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kStepGap = 8, kStepSample = 16, kStepDot = 2.5, kStepLine = 1.5;

class StepsLayout {
 public:
  StepsLayout(const StepLines& lines, const FigureStyle& style, double width, double height,
              const MeasureText& measure)
      : lines_(lines), style_(style), measure_(measure) {
    drawing_.width = width;
    drawing_.height = height;
  }

  Drawing plan() {
    find_range();
    const double names = add_names();
    const double left = std::max(label_width(number(low_)), label_width(number(high_))) + px(kStepGap);
    area_ = {left, line() / 2, std::max(1.0, drawing_.width - left - px(kStepGap)),
             std::max(1.0, drawing_.height - names - 3 * line())};
    add_axes();
    for (Index column = 0; column < lines_.values.cols(); ++column)
      add_line(column);
    return std::move(drawing_);
  }

 private:
  double px(double pixels) const { return scaled_px(style_, pixels); }
  double line() const { return line_height(style_.label_size_px); }
  double label_width(const std::string& text) const {
    return measure_(text, style_.label_size_px, FontFace::Text).width;
  }
  std::string number(double value) const { return number_text(value, high_ - low_ >= 100 ? 0 : 3); }
  Color color_of(Index column) const {
    return style_.series[static_cast<std::size_t>(column) % style_.series.size()];
  }
  void label(const std::string& text, double x, double y, Anchor anchor, Color color) {
    drawing_.texts.push_back(planned_label(style_, text, x, y, anchor, color));
  }

  void find_range() {
    std::optional<double> low, high;
    for (const float value : lines_.values.reshaped()) {
      if (!std::isfinite(value)) continue;
      low = std::min(low.value_or(double{value}), double{value});
      high = std::max(high.value_or(double{value}), double{value});
    }
    low_ = low.value_or(0);
    high_ = high.value_or(1);
    if (low_ == high_) high_ = low_ + 1;
  }

  // In lines at the bottom, and how high they are.
  double add_names() {
    std::vector<std::vector<Index>> rows(1);
    double x = 0;
    const auto width_of = [&](Index column) {
      return px(kStepSample + 2 * kStepGap) + label_width(lines_.names[static_cast<std::size_t>(column)]);
    };
    for (Index column = 0; column < lines_.values.cols(); ++column) {
      if (width_of(column) > drawing_.width) continue;
      if (x + width_of(column) > drawing_.width) {
        rows.emplace_back();
        x = 0;
      }
      rows.back().push_back(column);
      x += width_of(column);
    }
    const double height = static_cast<double>(rows.size()) * line();
    if (height > drawing_.height / 2) return 0;
    double y = drawing_.height - height + line() / 2;
    for (const std::vector<Index>& row : rows) {
      x = 0;
      for (const Index column : row) {
        drawing_.strokes.push_back({x, y, x + px(kStepSample), y, px(2), color_of(column)});
        label(lines_.names[static_cast<std::size_t>(column)], x + px(kStepSample + kStepGap / 2), y,
              Anchor::Start, style_.text);
        x += width_of(column);
      }
      y += line();
    }
    return height;
  }

  double x_of(std::int64_t step) const {
    const auto first = static_cast<double>(lines_.steps.front()),
               last = static_cast<double>(lines_.steps.back());
    return area_.x + (last > first ? (static_cast<double>(step) - first) / (last - first) : 0) * area_.width;
  }
  double y_of(double value) const { return area_.bottom() - (value - low_) / (high_ - low_) * area_.height; }

  void add_axes() {
    for (const double value : {low_, high_}) {
      drawing_.lines.push_back({area_.x, y_of(value), area_.right(), y_of(value), 1, style_.line});
      label(number(value), area_.x - px(kStepGap), y_of(value), Anchor::End, style_.quiet_text);
    }
    const double y = area_.bottom() + line();
    const std::string first = "step " + std::to_string(lines_.steps.front()),
                      last = std::to_string(lines_.steps.back());
    label(first, area_.x, y, Anchor::Start, style_.quiet_text);
    if (label_width(first) + label_width(last) + px(kStepGap) <= area_.width)
      label(last, area_.right(), y, Anchor::End, style_.quiet_text);
  }

  // Not over steps without a number.
  void add_line(Index column) {
    for (std::size_t i = 0; i < lines_.steps.size(); ++i) {
      if (!has_number(i, column)) continue;
      const Point at = point(i, column);
      if (i > 0 && has_number(i - 1, column)) {
        const Point before = point(i - 1, column);
        drawing_.strokes.push_back({before.x, before.y, at.x, at.y, px(kStepLine), color_of(column)});
      }
      drawing_.dots.push_back({at.x, at.y, px(kStepDot), color_of(column)});
    }
  }

  bool has_number(std::size_t step, Index column) const {
    return std::isfinite(lines_.values(static_cast<Index>(step), column));
  }
  Point point(std::size_t step, Index column) const {
    return {x_of(lines_.steps[step]), y_of(double{lines_.values(static_cast<Index>(step), column)})};
  }

  const StepLines& lines_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  Drawing drawing_;
  Rect area_;
  double low_ = 0, high_ = 1;
};

}  // namespace

Drawing plan_step_lines(const StepLines& lines, const FigureStyle& style, double width, double height,
                        const MeasureText& measure) {
  return StepsLayout(lines, style, width, height, measure).plan();
}

}  // namespace headlight
