#include "app/ui/main_window/reading_plan.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kGap = 8;  // planned pixels
constexpr double kLeastBeside = 1100, kLeastColumn = 360, kMostColumn = 440, kShare = 0.3125;
constexpr double kPageShare = 0.38, kLeastPage = 232;  // share of the content's height; planned pixels
constexpr double kMostOfPage = 0.65;                   // of the height below the strip, in a low window
// A window lower than this, if it is not narrow, has the text beside the picture: planned pixels of content.
constexpr double kLowPage = 520, kLeastLow = 400, kLeastLowColumn = 180, kLowShare = 0.4;
constexpr double kLeastWithStrip = 260, kLeastWithInputs = 370;

double window_width(const ReadingRoom& room) {
  return room.content.width + 2 * kGap * room.scale;
}

bool is_wide(const ReadingRoom& room) {
  return window_width(room) >= kLeastBeside * room.scale;
}

double column_width(const ReadingRoom& room) {
  if (!is_wide(room))
    return std::floor(
        std::clamp(window_width(room) * kLowShare, kLeastLowColumn * room.scale, kMostColumn * room.scale));
  return std::floor(
      std::clamp(window_width(room) * kShare, kLeastColumn * room.scale, kMostColumn * room.scale));
}

}  // namespace

bool has_reading_column(const ReadingRoom& room) {
  const bool low = room.inputs_folded && room.content.height < kLowPage * room.scale;
  return is_wide(room) || (low && window_width(room) >= kLeastLow * room.scale);
}

bool has_strip(const ReadingRoom& room) {
  return room.content.height >= kLeastWithStrip * room.scale;
}

bool has_folded_inputs(const ReadingRoom& room) {
  return strip_width(room) >= kLeastWithInputs * room.scale;
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
  const double text =
      std::floor(std::max(0.0, std::min({wanted, room.text_height, below * kMostOfPage, below - gap})));
  return {{all.x, all.bottom() - text, all.width, text},
          {all.x, top, all.width, std::max(0.0, below - text - gap)}};
}

}  // namespace headlight
