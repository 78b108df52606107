#include "app/ui/main_window/reading_plan.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kGap = 8;  // planned pixels
constexpr double kLeastWithColumn = 900, kWide = 1100;
constexpr double kShare = 0.325, kLeastColumn = 320, kLeastOfWide = 360, kMostColumn = 440;
constexpr double kMargin = 260, kLeastWithMargin = 800;
constexpr double kMostCard = 240, kLeastCard = 72, kMostInputs = 0.45;
constexpr double kMostPagePicture = 480;

double column_width(const ReadingRoom& room) {
  const double window = room.content.width / room.scale;
  const double least = window < kWide ? kLeastColumn : kLeastOfWide;
  return std::floor(std::clamp(window * kShare, least, kMostColumn) * room.scale);
}

}  // namespace

bool has_reading_column(const ReadingRoom& room) {
  return !room.page && room.content.width >= kLeastWithColumn * room.scale;
}

ReadingPlan plan_reading(const ReadingRoom& room, double footer_height) {
  const Rect& all = room.content;
  const double gap = std::floor(kGap * room.scale);
  if (!has_reading_column(room)) {
    const double footer = std::min(footer_height, all.height);
    return {{all.x, all.bottom() - footer, all.width, footer},
            {all.x, all.y, all.width, all.height - footer},
            {}};
  }
  const double column = column_width(room), left = all.x + column + gap;
  ReadingPlan plan = {
      {all.x, all.y, column, all.height}, {left, all.y, all.right() - gap - left, all.height}, {}};
  if (room.many || plan.rest.width < kLeastWithMargin * room.scale) return plan;
  const double margin = std::floor(kMargin * room.scale);
  plan.margin = {plan.rest.right() - margin, all.y, margin, all.height};
  return plan;
}

ColumnPlan plan_column(double height, const ColumnNeeds& needs, double scale) {
  ColumnPlan plan;
  const double least_text = std::min({needs.text, needs.least_text, height});
  const double least_card = std::min({needs.card, kLeastCard * scale, height - least_text});
  plan.inputs = std::floor(std::min({needs.inputs, height * kMostInputs, height - least_text - least_card}));
  const double wished = std::min({needs.card, kMostCard * scale, height - plan.inputs - least_text});
  // The card takes what the text does not need; a part of the text's room only down to its first lines.
  const double free = height - plan.inputs - needs.text;
  plan.card = std::floor(std::max(std::min(wished, kLeastCard * scale), std::min(wished, free)));
  if (plan.card < std::min(needs.card, kLeastCard * scale)) plan.card = 0;
  plan.text = height - plan.inputs - plan.card;
  return plan;
}

double least_picture_side(double width, double pixel) {
  constexpr double kNarrow = 1100, kFloor = 280, kNarrowFloor = 240;
  return (width < kNarrow * pixel ? kNarrowFloor : kFloor) * pixel;
}

double page_picture_height(double width, double seen, double around, double floor, double scale) {
  const double wished = std::min(width, kMostPagePicture * scale) + around;
  return std::floor(std::max(std::min(wished, seen), floor + around));
}

}  // namespace headlight
