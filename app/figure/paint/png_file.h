// Pixels as a PNG file with text, resolution and, for up to 256 colours, a palette.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// A picture that is made some rows at a time, so that a large one never lies in memory as a whole.
struct PngRows {
  int width = 0, height = 0;
  bool has_opacity = false;
  // The rows [begin, end), which are valid until the next call. Rows may be asked for more than once.
  std::function<PngPixels(int begin, int end)> make;
};

struct PngNotes {
  std::vector<std::pair<std::string, std::string>> texts;  // keyword of PNG ("Title") and UTF-8 text
  double dpi = 0;                                          // 0: no resolution is stored
};

// Up to 256 colours become a palette. The bytes do not depend on the number of threads, nor on whether the
// pixels are given as a whole or made.
std::string png_file(const PngPixels& image, const PngNotes& notes = {});
std::string png_file(const PngRows& picture, const PngNotes& notes = {});

}  // namespace headlight
