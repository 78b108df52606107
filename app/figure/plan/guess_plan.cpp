#include "app/figure/plan/guess_plan.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kBarHeight = 104, kWidestBar = 56, kBarGap = 6;  // planned pixels
constexpr double kLargestCell = 20, kNameShare = 0.35;
constexpr double kWordPad = 10, kWordGap = 6;

}  // namespace

double GuessPlan::y_of(double number) const {
  if (slots.empty()) return 0;
  const double part = std::clamp((number - low) / (high - low), 0.0, 1.0);
  return slots.front().bottom() - part * slots.front().height;
}

double GuessPlan::number_at(double y) const {
  if (slots.empty() || slots.front().height <= 0) return low;
  const double part = std::clamp((slots.front().bottom() - y) / slots.front().height, 0.0, 1.0);
  return low + part * (high - low);
}

GuessPlan plan_bars(std::size_t count, double low, double high, const GuessRoom& room) {
  GuessPlan plan;
  plan.low = low;
  plan.high = high;
  if (count == 0) return plan;
  const double px = double{room.px}, width = std::max(1.0, double{room.width});
  const double pitch = std::min(width / static_cast<double>(count), kWidestBar * px);
  const double gap = std::min(kBarGap * px, pitch / 4);
  const double top = double{room.line} + 2 * px, height = kBarHeight * px;
  plan.note = {0, 0, width, double{room.line}};
  for (std::size_t i = 0; i < count; ++i) {
    const double x = std::floor(static_cast<double>(i) * pitch);
    plan.slots.push_back({x, top, std::max(1.0, std::floor(pitch - gap)), height});
    plan.column_names.push_back({x, top + height + 4 * px, std::max(1.0, pitch - px), double{room.line}});
  }
  plan.height = static_cast<float>(top + height + 4 * px + double{room.line});
  return plan;
}

GuessPlan plan_cells(Index rows, Index columns, const std::vector<float>& name_widths,
                     const GuessRoom& room) {
  GuessPlan plan;
  if (rows == 0 || columns == 0) return plan;
  const double px = double{room.px}, width = std::max(1.0, double{room.width});
  double names = 0;
  for (const float name : name_widths)
    names = std::max(names, double{name} + 6 * px);
  names = std::floor(std::min(names, kNameShare * width));
  const double side =
      std::max(1.0, std::floor(std::min((width - names) / static_cast<double>(columns), kLargestCell * px)));
  const double high = std::max(side, double{room.line});  // a row's name needs a line
  const double top = double{room.line} + 2 * px;
  for (Index column = 0; column < columns; ++column)
    plan.column_names.push_back(
        {names + static_cast<double>(column) * side, 0, side - px, double{room.line}});
  for (Index row = 0; row < rows; ++row) {
    const double y = top + static_cast<double>(row) * high;
    plan.row_names.push_back({0, y, names, high});
    for (Index column = 0; column < columns; ++column)
      plan.slots.push_back({names + static_cast<double>(column) * side, y, std::max(1.0, side - px),
                            std::max(1.0, high - px)});
  }
  plan.height = static_cast<float>(top + static_cast<double>(rows) * high);
  return plan;
}

GuessPlan plan_words(const std::vector<float>& widths, const GuessRoom& room) {
  GuessPlan plan;
  const double px = double{room.px}, width = std::max(1.0, double{room.width});
  const double height = double{room.line} + 10 * px, gap = kWordGap * px;
  double x = 0, y = 0;
  for (const float word : widths) {
    const double wide = std::min(double{word} + 2 * kWordPad * px, width);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += height + gap;
    }
    plan.slots.push_back({x, y, wide, height});
    x += wide + gap;
  }
  plan.height = static_cast<float>(widths.empty() ? 0 : y + height);
  return plan;
}

}  // namespace headlight
