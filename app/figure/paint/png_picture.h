// The pixels of a PNG file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/color/colormap.h"

namespace headlight {

struct PngPicture {
  int width = 0, height = 0;
  std::vector<Color> pixels;  // rows from top to bottom; not premultiplied by opacity
};

// Reads one of the program's own pictures. Throws Error unless it is a PNG with 8 bits per channel.
PngPicture read_png(const std::filesystem::path& path);
// The same of a picture in memory, from whichever program, of at most 2^26 pixels. where: its name, for
// messages.
PngPicture png_of_bytes(std::string_view bytes, const std::string& where);

}  // namespace headlight
