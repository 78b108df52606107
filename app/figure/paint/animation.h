// Frames, and the bytes of the files that show them one after the other, again and again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/figure/paint/cairo_painter.h"

namespace headlight {

struct Animation {
  int width = 0, height = 0;      // of every frame, in pixels
  std::vector<int> durations_ms;  // one for each frame
  // An opaque frame. It may be asked for more than once, so that no two of them lie in memory.
  std::function<FigurePixels(std::size_t frame)> paint;

  std::size_t frame_count() const { return durations_ms.size(); }
};

// Equal frames give equal bytes, which have no time stamps. Both throw Error if there is not enough memory.
//
// All frames share one palette; up to 255 colours are exact, of more similar ones are joined. A frame stores
// the rectangle that differs from the one before it. Durations are rounded to hundredths of a second.
std::string gif_bytes(const Animation& animation);
// Every colour is exact. Precondition: no side is longer than 16,383 pixels.
std::string webp_bytes(const Animation& animation);

}  // namespace headlight
