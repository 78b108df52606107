// The pixels of a PNG file or of the virtual screen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headlight_test {

struct Pixel {
  std::uint8_t r = 0, g = 0, b = 0;
  bool operator==(const Pixel&) const = default;
};

struct Picture {
  int width = 0, height = 0;
  std::vector<Pixel> pixels;  // rows from top to bottom
  Pixel at(int x, int y) const { return pixels.at(static_cast<std::size_t>(y) * width + x); }
};

// Both throw std::runtime_error if the file has another format.
Picture read_png(const std::filesystem::path& path);
// A file in X's window dump format with 32 bits per pixel, as Xvfb stores its screen.
Picture read_xwd(const std::filesystem::path& path);

}  // namespace headlight_test
