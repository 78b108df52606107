// Animated files, decoded again by giflib and libwebp.
#pragma once

#include <gif_lib.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/paint/animation.h"
#include "tests/support/catch.h"

namespace headlight_test {

using namespace headlight;

struct DecodedAnimation {
  struct Frame {
    int begins_ms = 0, ends_ms = 0;
    FigurePixels pixels;
  };
  int width = 0, height = 0;
  std::vector<Frame> frames;  // equal ones may have become one

  // What is seen at that time.
  const FigurePixels& at(int milliseconds) const {
    const auto found = std::find_if(frames.begin(), frames.end(),
                                    [&](const Frame& frame) { return milliseconds < frame.ends_ms; });
    REQUIRE(found != frames.end());
    return found->pixels;
  }
  int duration_ms() const { return frames.back().ends_ms; }
};

inline DecodedAnimation decoded_gif(const std::string& bytes) {
  std::string_view rest = bytes;
  const auto read = [](GifFileType* gif, GifByteType* to, int count) {
    auto& left = *static_cast<std::string_view*>(gif->UserData);
    const std::size_t taken = std::min(left.size(), static_cast<std::size_t>(count));
    std::memcpy(to, left.data(), taken);
    left.remove_prefix(taken);
    return static_cast<int>(taken);
  };
  struct Close {
    void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
  };
  const std::unique_ptr<GifFileType, Close> gif(DGifOpen(&rest, read, nullptr));
  REQUIRE(gif);
  REQUIRE(DGifSlurp(gif.get()) == GIF_OK);
  DecodedAnimation decoded{gif->SWidth, gif->SHeight, {}};
  const std::size_t size = static_cast<std::size_t>(gif->SWidth) * static_cast<std::size_t>(gif->SHeight);
  FigurePixels shown{gif->SWidth, gif->SHeight, std::vector<Color>(size)};
  int elapsed_ms = 0;
  for (int i = 0; i < gif->ImageCount; ++i) {
    const SavedImage& image = gif->SavedImages[i];
    GraphicsControlBlock control;
    REQUIRE(DGifSavedExtensionToGCB(gif.get(), i, &control) == GIF_OK);
    const GifImageDesc& part = image.ImageDesc;
    for (int y = 0; y < part.Height; ++y)
      for (int x = 0; x < part.Width; ++x) {
        const int index = image.RasterBits[y * part.Width + x];
        if (index == control.TransparentColor) continue;
        const GifColorType color = gif->SColorMap->Colors[index];
        shown.pixels[static_cast<std::size_t>((part.Top + y) * gif->SWidth + part.Left + x)] = {
            color.Red, color.Green, color.Blue, 255};
      }
    const int ends_ms = elapsed_ms + 10 * control.DelayTime;
    decoded.frames.push_back({elapsed_ms, ends_ms, shown});
    elapsed_ms = ends_ms;
  }
  return decoded;
}

inline DecodedAnimation decoded_webp(const std::string& bytes) {
  const WebPData data = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  struct Delete {
    void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
  };
  const std::unique_ptr<WebPAnimDecoder, Delete> decoder(WebPAnimDecoderNew(&data, nullptr));
  REQUIRE(decoder);
  WebPAnimInfo info;
  REQUIRE(WebPAnimDecoderGetInfo(decoder.get(), &info));
  CHECK(info.loop_count == 0);  // endless
  const int width = static_cast<int>(info.canvas_width), height = static_cast<int>(info.canvas_height);
  DecodedAnimation decoded{width, height, {}};
  int begins_ms = 0;
  while (WebPAnimDecoderHasMoreFrames(decoder.get())) {
    std::uint8_t* rgba = nullptr;
    int ends_ms = 0;
    REQUIRE(WebPAnimDecoderGetNext(decoder.get(), &rgba, &ends_ms));
    FigurePixels pixels{width, height, {}};
    for (std::size_t i = 0; i < std::size_t{info.canvas_width} * info.canvas_height; ++i)
      pixels.pixels.push_back({rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2], rgba[4 * i + 3]});
    decoded.frames.push_back({begins_ms, ends_ms, std::move(pixels)});
    begins_ms = ends_ms;
  }
  return decoded;
}

// Of a channel.
inline int largest_difference(Color a, Color b) {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b), std::abs(a.a - b.a)});
}
inline int largest_difference(const FigurePixels& a, const FigurePixels& b) {
  REQUIRE(a.pixels.size() == b.pixels.size());
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    largest = std::max(largest, largest_difference(a.pixels[i], b.pixels[i]));
  return largest;
}

// The share of the pixels with a larger difference.
inline double share_beyond(int difference, const FigurePixels& a, const FigurePixels& b) {
  REQUIRE(a.pixels.size() == b.pixels.size());
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    beyond += largest_difference(a.pixels[i], b.pixels[i]) > difference ? 1 : 0;
  return static_cast<double>(beyond) / static_cast<double>(a.pixels.size());
}

}  // namespace headlight_test
