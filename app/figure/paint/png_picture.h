// The pixels of a PNG file.
#pragma once

#include <filesystem>
#include <vector>

#include "app/figure/color/colormap.h"

namespace headlight {

struct PngPicture {
  int width = 0, height = 0;
  std::vector<Color> pixels;  // rows from top to bottom; opacity is not multiplied into the colours
};

// For the program's own pictures. Throws Error when the file is no PNG that can be read.
PngPicture read_png(const std::filesystem::path& path);

}  // namespace headlight
