// The place of the derivation's card beside the picture. Computed, not drawn.
#pragma once

#include <optional>
#include <vector>

#include "app/figure/plan/heatmap_plan.h"

namespace headlight {

// All rectangles in one coordinate system, in pixels.
struct CardRoom {
  Rect cell;                 // the cell whose value is derived
  Rect picture;              // the panel of the picture
  std::vector<Rect> drawn;   // what the picture consists of: covered only where nothing else is free
  std::vector<Rect> keep;    // the row and the column of the cell, and what a step points at: never covered
  std::vector<Rect> beside;  // free rectangles outside the picture, the preferred one first
  double gap = 0;            // least distance to what is not covered, and to the edges of `picture`
};

struct CardSize {
  double width = 0, height = 0;
};

// The rectangle of the card. Where there is no room for its wished size it is lower, down to `least_height`,
// and last it is left out. For each height it is tried in this order: in the picture's panel beside what is
// drawn there, as near to the cell as possible; in a rectangle of `beside`; and, once all heights have
// failed, over what is drawn. In `beside` it takes the width of the rectangle, within limits. `before`: its
// top left corner in the frame before, where it stays if that is allowed.
std::optional<Rect> plan_card(const CardRoom& room, CardSize wished, double least_height,
                              std::optional<Point> before = std::nullopt);

}  // namespace headlight
