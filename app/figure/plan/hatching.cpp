#include "app/figure/plan/hatching.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/plan/label_text.h"

namespace headlight {
namespace {

// Shorter segments, of cells much smaller than the pitch, are left out: they would be dust.
constexpr double kLeastSegment = 1.5;

// The line on which x + y is `sum`, walked from its lower left end up to the right, cell by cell.
class HatchLine {
 public:
  HatchLine(const Rect& rect, Index rows, Index columns, double sum)
      : rect_(rect),
        rows_(rows),
        columns_(columns),
        sum_(sum),
        begin_(std::max(rect.x, sum - rect.bottom())),
        end_(std::min(rect.right(), sum - rect.y)) {}

  void add_hidden(PlannedHatching& hatching, const IsHidden& hidden) const {
    if (end_ <= begin_) return;
    const double width = rect_.width / static_cast<double>(columns_),
                 height = rect_.height / static_cast<double>(rows_);
    Index column = place((begin_ - rect_.x) / width, columns_);
    Index row = place((sum_ - begin_ - rect_.y) / height, rows_);
    double run = begin_, x = begin_;
    bool inside = false;
    while (x < end_ && column < columns_ && row >= 0) {
      const bool now = hidden(row, column);
      if (inside && !now) add(hatching, run, x);
      if (!inside && now) run = x;
      inside = now;
      const double at_right = rect_.x + static_cast<double>(column + 1) * width,
                   at_top = sum_ - rect_.y - static_cast<double>(row) * height;
      x = std::min(at_right, at_top);
      if (at_right <= x) ++column;
      if (at_top <= x) --row;
    }
    if (inside) add(hatching, run, std::min(x, end_));
  }

 private:
  static Index place(double share, Index count) {
    return std::clamp<Index>(static_cast<Index>(std::floor(share)), 0, count - 1);
  }
  void add(PlannedHatching& hatching, double from, double to) const {
    if (to - from < kLeastSegment) return;
    hatching.segments.push_back({Point{from, sum_ - from}, Point{to, sum_ - to}});
  }

  const Rect& rect_;
  Index rows_, columns_;
  double sum_, begin_, end_;
};

}  // namespace

PlannedHatching empty_hatching(const FigureStyle& style) {
  return {{}, whole_px(style, 1), mix(style.neutral, style.text, kHatchContrast)};
}

void add_hatching(PlannedHatching& hatching, const Rect& rect, Index rows, Index columns,
                  const IsHidden& hidden, const FigureStyle& style) {
  if (rows <= 0 || columns <= 0 || rect.width <= 0 || rect.height <= 0) return;
  const double step = scaled_px(style, kHatchPitch) * std::numbers::sqrt2;
  const double first = std::ceil((rect.x + rect.y) / step) * step;
  for (double sum = first; sum < rect.right() + rect.bottom(); sum += step)
    HatchLine(rect, rows, columns, sum).add_hidden(hatching, hidden);
}

void add_hatching(PlannedHatching& hatching, const Rect& rect, const FigureStyle& style) {
  add_hatching(
      hatching, rect, 1, 1, [](Index, Index) { return true; }, style);
}

}  // namespace headlight
