// WebP without loss, by libwebp's encoder of animations.
#include <webp/encode.h>
#include <webp/mux.h>

#include <algorithm>
#include <memory>

#include "app/figure/paint/animation.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr int kEffort = 4;  // of 0 to 9: more takes longer for files that are little smaller

void require_webp(bool done) {
  if (!done)
    throw Error("there is not enough memory for a WebP of this size", "the animation",
                "choose a smaller size");
}

// A picture in libwebp's memory.
class WebPFrame {
 public:
  WebPFrame(int width, int height) {
    require_webp(WebPPictureInit(&picture_) != 0);
    picture_.use_argb = 1;
    picture_.width = width;
    picture_.height = height;
    require_webp(WebPPictureAlloc(&picture_) != 0);
  }
  ~WebPFrame() { WebPPictureFree(&picture_); }
  WebPFrame(const WebPFrame&) = delete;
  WebPFrame& operator=(const WebPFrame&) = delete;

  void set(const FigurePixels& frame) {
    for (int y = 0; y < frame.height; ++y) {
      const auto row = frame.pixels.begin() + std::ptrdiff_t{y} * frame.width;
      std::transform(
          row, row + frame.width, picture_.argb + std::ptrdiff_t{y} * picture_.argb_stride, [](Color color) {
            return 0xFF000000u | std::uint32_t{color.r} << 16 | std::uint32_t{color.g} << 8 | color.b;
          });
    }
  }
  WebPPicture* get() { return &picture_; }

 private:
  WebPPicture picture_;
};

struct DeleteEncoder {
  void operator()(WebPAnimEncoder* encoder) const { WebPAnimEncoderDelete(encoder); }
};

// The bytes that libwebp made.
struct MadeBytes {
  MadeBytes() { WebPDataInit(&data); }
  ~MadeBytes() { WebPDataClear(&data); }
  MadeBytes(const MadeBytes&) = delete;
  MadeBytes& operator=(const MadeBytes&) = delete;
  WebPData data;
};

}  // namespace

std::string webp_bytes(const Animation& animation) {
  WebPAnimEncoderOptions options;
  WebPConfig config;
  require_webp(WebPAnimEncoderOptionsInit(&options) != 0 && WebPConfigInit(&config) != 0 &&
               WebPConfigLosslessPreset(&config, kEffort) != 0);
  options.kmax = 0;  // each frame is stored by what differs from the one before it
  const std::unique_ptr<WebPAnimEncoder, DeleteEncoder> encoder(
      WebPAnimEncoderNew(animation.width, animation.height, &options));
  require_webp(encoder != nullptr);
  WebPFrame frame(animation.width, animation.height);
  int begins_ms = 0;
  for (std::size_t i = 0; i < animation.frame_count(); ++i) {
    frame.set(animation.paint(i));
    require_webp(WebPAnimEncoderAdd(encoder.get(), frame.get(), begins_ms, &config) != 0);
    begins_ms += animation.durations_ms[i];
  }
  require_webp(WebPAnimEncoderAdd(encoder.get(), nullptr, begins_ms, nullptr) != 0);
  MadeBytes made;
  require_webp(WebPAnimEncoderAssemble(encoder.get(), &made.data) != 0);
  return {reinterpret_cast<const char*>(made.data.bytes), made.data.size};
}

}  // namespace headlight
