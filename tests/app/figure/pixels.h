// The pixels of a PNG, decoded by Cairo.
#pragma once

#include <cairo/cairo.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "app/figure/color/colormap.h"
#include "tests/support/catch.h"

namespace headlight_test {

class Pixels {
 public:
  explicit Pixels(const std::string& png) : rest_(png) {
    const auto read = [](void* self, unsigned char* to, unsigned int length) {
      std::string_view& rest = static_cast<Pixels*>(self)->rest_;
      if (rest.size() < length) return CAIRO_STATUS_READ_ERROR;
      std::memcpy(to, rest.data(), length);
      rest.remove_prefix(length);
      return CAIRO_STATUS_SUCCESS;
    };
    surface_.reset(cairo_image_surface_create_from_png_stream(read, this));
    REQUIRE(cairo_surface_status(surface_.get()) == CAIRO_STATUS_SUCCESS);
  }
  int width() const { return cairo_image_surface_get_width(surface_.get()); }
  int height() const { return cairo_image_surface_get_height(surface_.get()); }
  headlight::Color at(int x, int y) const {
    const std::uint32_t pixel = raw(x, y);
    return {static_cast<std::uint8_t>(pixel >> 16), static_cast<std::uint8_t>(pixel >> 8),
            static_cast<std::uint8_t>(pixel), 255};
  }
  int opacity(int x, int y) const { return static_cast<int>(raw(x, y) >> 24); }

 private:
  std::uint32_t raw(int x, int y) const {
    const unsigned char* row =
        cairo_image_surface_get_data(surface_.get()) + y * cairo_image_surface_get_stride(surface_.get());
    std::uint32_t pixel;
    std::memcpy(&pixel, row + 4 * x, 4);
    return pixel;
  }
  struct Release {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  };
  std::string_view rest_;
  std::unique_ptr<cairo_surface_t, Release> surface_;
};

}  // namespace headlight_test
