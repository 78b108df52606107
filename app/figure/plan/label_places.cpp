#include "app/figure/plan/label_places.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headlight {
namespace {

constexpr double kSquare = 3;

}  // namespace

LabelPlaces::LabelPlaces(const Rect& field)
    : field_(field),
      columns_(static_cast<Index>(std::ceil(std::max(field.width, 0.0) / kSquare))),
      rows_(static_cast<Index>(std::ceil(std::max(field.height, 0.0) / kSquare))),
      taken_(static_cast<std::size_t>(columns_ * rows_), false) {}

LabelPlaces::Squares LabelPlaces::squares_of(const Rect& rect) const {
  const auto square = [](double at, double begin) {
    return static_cast<Index>(std::floor((at - begin) / kSquare));
  };
  return {std::max<Index>(0, square(rect.x, field_.x)),
          std::min(columns_ - 1, square(rect.right(), field_.x)),
          std::max<Index>(0, square(rect.y, field_.y)), std::min(rows_ - 1, square(rect.bottom(), field_.y))};
}

void LabelPlaces::take(const Rect& rect) {
  const Squares squares = squares_of(rect);
  for (Index row = squares.top; row <= squares.bottom; ++row)
    for (Index column = squares.left; column <= squares.right; ++column)
      taken_[static_cast<std::size_t>(row * columns_ + column)] = true;
}

bool LabelPlaces::is_free(const Rect& rect) const {
  if (rect.x < field_.x || rect.y < field_.y || rect.right() > field_.right() ||
      rect.bottom() > field_.bottom())
    return false;
  const Squares squares = squares_of(rect);
  for (Index row = squares.top; row <= squares.bottom; ++row)
    for (Index column = squares.left; column <= squares.right; ++column)
      if (taken_[static_cast<std::size_t>(row * columns_ + column)]) return false;
  return true;
}

std::optional<Rect> LabelPlaces::place_beside(double x, double y, TextSize size, double reach) {
  // Right, left, above, below, then the corners.
  struct Side {
    double across, down;  // -1: left of or above the point, 0: centred on it, 1: right of or below it
  };
  static constexpr std::array<Side, 8> kSides = {
      {{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}};
  for (const Side& side : kSides) {
    const double corner = side.across != 0 && side.down != 0 ? 0.6 : 1.0;
    const Rect rect = {x + side.across * (reach * corner + size.width / 2) - size.width / 2,
                       y + side.down * (reach * corner + size.height / 2) - size.height / 2, size.width,
                       size.height};
    if (!is_free(rect)) continue;
    take(rect);
    return rect;
  }
  return std::nullopt;
}

}  // namespace headlight
