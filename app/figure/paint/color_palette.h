// A few colours for many pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "app/figure/paint/cairo_painter.h"

namespace headlight {

// How many pixels have each colour, 0xRRGGBB.
class ColorCounts {
 public:
  void add(const FigurePixels& picture);
  // All colours if they are at most `most`, else so many of them: the colours are cut into boxes, the one
  // with the largest squared error first, across its longest side at the mean, and each box is stood for by
  // its most frequent colour. Equal counts give equal palettes.
  std::vector<Color> palette(std::size_t most) const;

 private:
  std::unordered_map<std::uint32_t, std::uint64_t> counts_;
};

// The index of the palette's colour that is nearest to a pixel's, by squared distance in sRGB.
class NearestColor {
 public:
  // At most 256 colours, at least one. Refers to the palette.
  explicit NearestColor(const std::vector<Color>& palette) : palette_(palette) {}
  std::uint8_t index(Color color);

 private:
  const std::vector<Color>& palette_;
  std::unordered_map<std::uint32_t, std::uint8_t> known_;
};

}  // namespace headlight
