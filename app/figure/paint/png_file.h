// Pixels as a PNG file with text, resolution and, for up to 256 colours, a palette.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headlight {

// Rows of 0xAARRGGBB, `stride` pixels apart; not premultiplied by opacity.
struct PngPixels {
  int width = 0, height = 0;
  std::ptrdiff_t stride = 0;
  const std::uint32_t* pixels = nullptr;
  bool has_opacity = false;  // else the highest byte is ignored
};

// Rows of pixels as stored in a PNG: each after a byte that names its filter, compressed by zlib. PDF reads
// the same data with its PNG predictors.
struct PackedPixels {
  std::vector<std::uint32_t> palette;  // the pixels are indices in it; empty: they are RGB or RGBA
  std::string data;
};
PackedPixels pack_pixels(const PngPixels& image);

struct PngNotes {
  std::vector<std::pair<std::string, std::string>> texts;  // keyword of PNG ("Title") and UTF-8 text
  double dpi = 0;                                          // 0: no resolution is stored
};

// Up to 256 colours become a palette. The bytes do not depend on the number of threads.
std::string png_file(const PngPixels& image, const PngNotes& notes = {});

}  // namespace headlight
