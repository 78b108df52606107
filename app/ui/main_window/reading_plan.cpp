#include "app/ui/main_window/reading_plan.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kGap = 8;  // planned pixels
constexpr double kLeastBeside = 1100, kLeastColumn = 360, kMostColumn = 440, kShare = 0.3125;
constexpr double kPageShare = 0.38, kLeastPage = 232;  // share of the content's height; planned pixels
constexpr double kMostOfPage = 0.65;                   // of the height below the strip, in a low window

double window_width(const ReadingRoom& room) {
  return room.content.width + 2 * kGap * room.scale;
}

double column_width(const ReadingRoom& room) {
  return std::floor(
      std::clamp(window_width(room) * kShare, kLeastColumn * room.scale, kMostColumn * room.scale));
}

}  // namespace

bool has_reading_column(const ReadingRoom& room) {
  return window_width(room) >= kLeastBeside * room.scale;
}

double strip_width(const ReadingRoom& room) {
  if (!has_reading_column(room)) return room.content.width;
  return room.content.width - column_width(room) - std::floor(kGap * room.scale);
}

ReadingPlan plan_reading(const ReadingRoom& room, double strip_height) {
  const Rect& all = room.content;
  const double gap = std::floor(kGap * room.scale);
  const double top = std::min(all.bottom(), all.y + strip_height), below = all.bottom() - top;
  if (has_reading_column(room)) {
    const double column = column_width(room);
    return {{all.right() - column, all.y, column, all.height}, {all.x, top, strip_width(room), below}};
  }
  const double wanted = std::max(all.height * kPageShare, kLeastPage * room.scale);
  const double text = std::floor(std::max(0.0, std::min({wanted, below * kMostOfPage, below - gap})));
  return {{all.x, all.bottom() - text, all.width, text},
          {all.x, top, all.width, std::max(0.0, below - text - gap)}};
}

}  // namespace headlight
