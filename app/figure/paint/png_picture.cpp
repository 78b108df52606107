#include "app/figure/paint/png_picture.h"

#include <cairo.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include "engine/core/error.h"

namespace headlight {
namespace {

// The colour of one of Cairo's pixels: 0xAARRGGBB, premultiplied by opacity.
Color color_of(std::uint32_t pixel) {
  const std::uint32_t opacity = pixel >> 24;
  if (opacity == 0) return {0, 0, 0, 0};
  const auto channel = [&](int shift) {
    const std::uint32_t value = ((pixel >> shift & 255u) * 255u + opacity / 2) / opacity;
    return static_cast<std::uint8_t>(value < 255u ? value : 255u);
  };
  return {channel(16), channel(8), channel(0), static_cast<std::uint8_t>(opacity)};
}

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;

// Gives the next bytes of a string_view.
cairo_status_t next_bytes(void* left, unsigned char* target, unsigned int count) {
  auto& bytes = *static_cast<std::string_view*>(left);
  if (count > bytes.size()) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(target, bytes.data(), count);
  bytes.remove_prefix(count);
  return CAIRO_STATUS_SUCCESS;
}

// Width and height as the file states them, big-endian behind its signature and the head of its first chunk.
std::uint64_t stated_pixels(std::string_view bytes) {
  constexpr std::size_t kWidthAt = 16, kEnd = 24;
  if (bytes.size() < kEnd) return 0;
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  };
  return number(kWidthAt) * number(kWidthAt + 4);
}

PngPicture picture_of(const Surface& surface, const std::string& where, const char* hint) {
  const bool read = cairo_surface_status(surface.get()) == CAIRO_STATUS_SUCCESS;
  if (!read || cairo_image_surface_get_format(surface.get()) > CAIRO_FORMAT_RGB24)
    throw Error("this is no PNG of 8 bits a colour", where, hint);
  const bool opaque = cairo_image_surface_get_format(surface.get()) == CAIRO_FORMAT_RGB24;
  PngPicture picture;
  picture.width = cairo_image_surface_get_width(surface.get());
  picture.height = cairo_image_surface_get_height(surface.get());
  picture.pixels.reserve(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int y = 0; y < picture.height; ++y) {
    const unsigned char* row = cairo_image_surface_get_data(surface.get()) + std::ptrdiff_t{y} * stride;
    for (int x = 0; x < picture.width; ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, row + 4 * std::ptrdiff_t{x}, sizeof pixel);
      picture.pixels.push_back(color_of(opaque ? pixel | 0xFF000000u : pixel));
    }
  }
  return picture;
}

}  // namespace

PngPicture read_png(const std::filesystem::path& path) {
  const Surface surface(cairo_image_surface_create_from_png(path.c_str()), cairo_surface_destroy);
  return picture_of(surface, path.string(), "install the program anew");
}

PngPicture png_of_bytes(std::string_view bytes, const std::string& where) {
  constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 26;
  if (stated_pixels(bytes) > kMostPixels)
    throw Error("the picture has more than 67 million pixels", where, "save a smaller one");
  const Surface surface(cairo_image_surface_create_from_png_stream(next_bytes, &bytes),
                        cairo_surface_destroy);
  return picture_of(surface, where, "save the picture again as PNG");
}

}  // namespace headlight
