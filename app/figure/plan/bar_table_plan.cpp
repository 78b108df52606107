#include "app/figure/plan/bar_table_plan.h"

#include <algorithm>
#include <cmath>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

constexpr double kNumberGap = 8, kColumnGap = 20, kWideBar = 64, kLeastBar = 12, kTableBar = 8,
                 kAroundRow = 4;

struct ColumnScale {
  float low = 0, high = 0;  // low <= 0 <= high
  int decimals = 3;
  double share(float value) const {
    const float width = high - low;
    return width > 0 ? double{(value - low) / width} : 0;
  }
};

ColumnScale scale_of(const Matrix& values, Index column) {
  ColumnScale scale;
  bool whole = true;
  for (Index row = 0; row < values.rows(); ++row) {
    const float value = values(row, column);
    if (!std::isfinite(value)) continue;
    scale.low = std::min(scale.low, value);
    scale.high = std::max(scale.high, value);
    whole = whole && value == std::round(value);
  }
  scale.decimals = whole ? 0 : std::max(scale.high, -scale.low) >= 10 ? 1 : 3;
  return scale;
}

class TablePlan {
 public:
  TablePlan(const BarTable& table, const FigureStyle& style, const MeasureText& measure)
      : table_(table), style_(style), measure_(measure) {
    for (Index column = 0; column < table.values.cols(); ++column)
      scales_.push_back(scale_of(table.values, column));
    rows_width_ = label_width(table.row_axis);
    for (const std::string& row : table.rows)
      rows_width_ = std::max(rows_width_, label_width(row));
  }

  double natural_width() const {
    double column = 0;
    for (std::size_t i = 0; i < scales_.size(); ++i)
      column = std::max({column, numbers_width(i) + px(kNumberGap + kWideBar), label_width(table_.columns[i]),
                         label_width(range_text(i))});
    return rows_width_ + static_cast<double>(scales_.size()) * (column + px(kColumnGap));
  }

  // Bars without their numbers.
  double least_width() const {
    return rows_width_ + static_cast<double>(scales_.size()) * px(kLeastBar + kColumnGap);
  }

  Drawing plan(double width) {
    column_ = (width - rows_width_) / static_cast<double>(scales_.size()) - px(kColumnGap);
    for (const std::string& name : table_.columns)
      slanted_ = slanted_ || label_width(name) > column_ + px(kColumnGap - kNumberGap);
    names_height_ = names_height();
    drawing_.width = width;
    drawing_.height = header_height() + static_cast<double>(table_.values.rows()) * pitch();
    label(table_.row_axis, rows_width_, header_height() - 2 * px(kAroundRow) - line() / 2, Anchor::End,
          style_.quiet_text);
    for (Index row = 0; row < table_.values.rows(); ++row)
      label(table_.rows[static_cast<std::size_t>(row)], rows_width_, middle_of(row), Anchor::End,
            style_.text);
    for (std::size_t column = 0; column < scales_.size(); ++column)
      add_column(column);
    return std::move(drawing_);
  }

 private:
  double px(double pixels) const { return scaled_px(style_, pixels); }
  double line() const { return line_height(style_.label_size_px); }
  double pitch() const { return line() + 2 * px(kAroundRow); }
  // The names, which are slanted where they are too wide, and below them the ranges.
  double names_height() const {
    if (!slanted_) return line();
    double widest = 0;
    for (const std::string& name : table_.columns)
      widest = std::max(widest, label_width(name));
    return std::ceil(widest / std::sqrt(2.0)) + line();
  }
  double header_height() const { return names_height_ + line() + 3 * px(kAroundRow); }
  double middle_of(Index row) const { return header_height() + (static_cast<double>(row) + 0.5) * pitch(); }

  double label_width(const std::string& text) const {
    return measure_(text, style_.label_size_px, FontFace::Text).width;
  }
  double number_width(const std::string& text) const {
    return measure_(text, style_.number_size_px, FontFace::Number).width;
  }
  std::string number(std::size_t column, float value) const {
    return number_text(value, scales_[column].decimals);
  }
  double numbers_width(std::size_t column) const {
    double widest = 0;
    for (const float value : table_.values.col(static_cast<Index>(column)))
      if (!std::isnan(value)) widest = std::max(widest, number_width(number(column, value)));
    return widest;
  }
  std::string range_text(std::size_t column) const {
    const ColumnScale& scale = scales_[column];
    const auto end = [&](float value) { return value == 0 ? std::string("0") : number(column, value); };
    return end(scale.low) + " to " + end(scale.high);
  }

  void label(const std::string& text, double x, double y, Anchor anchor, Color color) {
    drawing_.texts.push_back(planned_label(style_, text, x, y, anchor, color));
  }

  void add_column(std::size_t column) {
    const double left =
                     rows_width_ + px(kColumnGap) + static_cast<double>(column) * (column_ + px(kColumnGap)),
                 right = left + column_, numbers = numbers_width(column);
    const bool with_numbers = column_ - numbers - px(kNumberGap) >= px(kLeastBar);
    const double begin = with_numbers ? left + numbers + px(kNumberGap) : left;
    add_name(column, left);
    add_range(column, left, right);
    const double zero = begin + scales_[column].share(0) * (right - begin);
    drawing_.lines.push_back({zero, header_height(), zero, drawing_.height, 1, style_.line});
    for (Index row = 0; row < table_.values.rows(); ++row) {
      const float value = table_.values(row, static_cast<Index>(column));
      if (std::isnan(value)) continue;
      if (with_numbers) add_number(number(column, value), begin - px(kNumberGap), middle_of(row));
      add_bar(zero, begin + scales_[column].share(value) * (right - begin), middle_of(row));
    }
  }

  void add_name(std::size_t column, double left) {
    const double y = px(kAroundRow) + names_height_ - line() / 2;
    label(table_.columns[column], left, y, Anchor::Start, style_.text);
    if (slanted_) drawing_.texts.back().angle_deg = 45;
  }

  // Without room for both ends, the largest number at the end of its bar.
  void add_range(std::size_t column, double left, double right) {
    const double y = header_height() - 2 * px(kAroundRow) - line() / 2;
    const std::string both = range_text(column);
    if (label_width(both) <= column_ + px(kColumnGap - kNumberGap))
      return label(both, left, y, Anchor::Start, style_.quiet_text);
    if (scales_[column].low == 0)
      label(number(column, scales_[column].high), right, y, Anchor::End, style_.quiet_text);
  }

  void add_number(const std::string& text, double right, double y) {
    PlannedText planned = planned_label(style_, text, right, y, Anchor::End, style_.text);
    planned.face = FontFace::Number;
    planned.size_px = style_.number_size_px;
    drawing_.texts.push_back(std::move(planned));
  }

  void add_bar(double zero, double end, double y) {
    const double height = px(kTableBar);
    drawing_.fills.push_back(
        {{std::min(zero, end), y - height / 2, std::abs(end - zero), height}, style_.quiet_text});
  }

  const BarTable& table_;
  const FigureStyle& style_;
  const MeasureText& measure_;
  std::vector<ColumnScale> scales_;
  double rows_width_ = 0;    // of the rows' names
  bool slanted_ = false;     // the names of the columns
  double names_height_ = 0;  // once it is known whether they are
  double column_ = 0;        // the width of a column without the gap beside it
  Drawing drawing_;
};

}  // namespace

double bar_table_width(const BarTable& table, const FigureStyle& style, const MeasureText& measure) {
  return std::ceil(TablePlan(table, style, measure).natural_width());
}

double least_bar_table_width(const BarTable& table, const FigureStyle& style, const MeasureText& measure) {
  return std::ceil(TablePlan(table, style, measure).least_width());
}

Drawing plan_bar_table(const BarTable& table, double width, const FigureStyle& style,
                       const MeasureText& measure) {
  return TablePlan(table, style, measure).plan(width);
}

}  // namespace headlight
