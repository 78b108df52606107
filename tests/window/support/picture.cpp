#include "tests/window/support/picture.h"

#include <cairo/cairo.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/window/support/child_process.h"

namespace headlight_test {
namespace {

// A pixel in the byte order of Cairo and of a little-endian X server: blue, green, red, unused.
Pixel pixel_at(const unsigned char* bytes) {
  return {bytes[2], bytes[1], bytes[0]};
}

Picture from_rows(const unsigned char* rows, int width, int height, std::size_t stride) {
  Picture picture{width, height, {}};
  picture.pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.pixels.push_back(
          pixel_at(rows + static_cast<std::size_t>(y) * stride + 4 * static_cast<std::size_t>(x)));
    }
  }
  return picture;
}

}  // namespace

Picture read_png(const std::filesystem::path& path) {
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
      cairo_image_surface_create_from_png(path.c_str()), cairo_surface_destroy);
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(path.string() + " is no PNG that can be read");
  }
  return from_rows(cairo_image_surface_get_data(surface.get()), cairo_image_surface_get_width(surface.get()),
                   cairo_image_surface_get_height(surface.get()),
                   static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get())));
}

Picture read_xwd(const std::filesystem::path& path) {
  // The indices of the header's fields (X11/XWDFile.h), 32 bits each, big-endian.
  constexpr std::size_t kHeaderSize = 0, kWidth = 4, kHeight = 5, kBitsPerPixel = 11, kBytesPerLine = 12,
                        kColors = 19;
  constexpr std::size_t kFields = 25, kColorBytes = 12;
  const std::string bytes = text_of(path);
  if (bytes.size() < 4 * kFields) throw std::runtime_error(path.string() + " holds no screen");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto field = [data](std::size_t index) {
    const unsigned char* at = data + 4 * index;
    return (std::size_t{at[0]} << 24) | (std::size_t{at[1]} << 16) | (std::size_t{at[2]} << 8) | at[3];
  };
  const std::size_t start = field(kHeaderSize) + field(kColors) * kColorBytes;
  const std::size_t stride = field(kBytesPerLine), height = field(kHeight);
  if (field(kBitsPerPixel) != 32 || bytes.size() < start + stride * height) {
    throw std::runtime_error(path.string() + " is no screen of 32 bits a pixel");
  }
  return from_rows(data + start, static_cast<int>(field(kWidth)), static_cast<int>(height), stride);
}

}  // namespace headlight_test
