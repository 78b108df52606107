// Pictures from PNG and JPEG files, as bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

struct Picture {
  Index width = 0, height = 0;
  Index channels = 3;  // 1: grey, 3: red, green, blue
  // Row by row, the channels of a pixel side by side: height x width x channels.
  std::vector<std::uint8_t> bytes;

  std::uint8_t at(Index row, Index column, Index channel) const {
    return bytes[static_cast<std::size_t>((row * width + column) * channels + channel)];
  }
};

// The largest picture that is read, in pixels.
inline constexpr Index kMostPixels = Index{1} << 26;

// Reads a .png or .jpg file by its content. Transparency is dropped, and 16 bits become 8. Throws Error if
// the file is neither, is cut or malformed, or has more pixels than kMostPixels.
Picture read_picture(const std::filesystem::path& path);

}  // namespace headlight
