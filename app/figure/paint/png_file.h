// Pixels as a PNG file: with text, resolution and, where it is smaller, a palette.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headlight {

// Rows of 0xAARRGGBB, `stride` pixels from one to the next; opacity is not multiplied into the colours.
struct PngPixels {
  int width = 0, height = 0;
  std::ptrdiff_t stride = 0;
  const std::uint32_t* pixels = nullptr;
  bool has_opacity = false;  // else the highest byte means nothing
};

// Rows of pixels as a PNG holds them: each behind a byte that names its filter, deflated by zlib. PDF reads
// the same with its PNG predictors.
struct PackedPixels {
  std::vector<std::uint32_t>
      palette;  // the pixels are indices in it; empty: they are red, green, blue, opacity
  std::string data;
};
PackedPixels pack_pixels(const PngPixels& image);

struct PngNotes {
  std::vector<std::pair<std::string, std::string>> texts;  // keyword of PNG ("Title") and UTF-8 text
  double dpi = 0;                                          // 0: the file does not say
};

// Up to 256 colours become a palette. The bytes depend on the arguments only, not on how many threads there
// are.
std::string png_file(const PngPixels& image, const PngNotes& notes = {});

}  // namespace headlight
