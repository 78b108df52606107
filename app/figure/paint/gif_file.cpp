// GIF: one palette for all frames; a frame is the rectangle that changes, with a transparent colour where it
// does not.
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "app/figure/paint/animation.h"
#include "app/figure/paint/color_palette.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr std::size_t kMostGifColors = 255;  // one more is the transparent one

[[noreturn]] void refuse_gif() {
  throw Error("there is not enough memory for a GIF of this size", "the animation", "choose a smaller size");
}

void require_gif(int status) {
  if (status != GIF_OK) refuse_gif();
}

// Called by C, which no exception may pass.
int append_to_string(GifFileType* gif, const GifByteType* bytes, int count) {
  try {
    static_cast<std::string*>(gif->UserData)
        ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
    return count;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

struct CloseGif {
  void operator()(GifFileType* gif) const {
    int ignored = 0;
    EGifCloseFile(gif, &ignored);
  }
};
struct FreeColorMap {
  void operator()(ColorMapObject* map) const { GifFreeMapObject(map); }
};

// The part of a picture that changes.
struct ChangedPart {
  int left = 0, top = 0, width = 0, height = 0;
};

using IndexedPixels = std::vector<GifByteType>;

// One pixel where nothing changes: a frame has at least one.
ChangedPart changed_part(const IndexedPixels& before, const IndexedPixels& now, int width) {
  int left = width, right = 0, top = -1, bottom = 0;
  for (std::size_t at = 0; at < now.size(); ++at) {
    if (before[at] == now[at]) continue;
    const int x = static_cast<int>(at) % width, y = static_cast<int>(at) / width;
    left = std::min(left, x);
    right = std::max(right, x + 1);
    if (top < 0) top = y;
    bottom = y + 1;
  }
  if (top < 0) return {0, 0, 1, 1};
  return {left, top, right - left, bottom - top};
}

class GifWriter {
 public:
  explicit GifWriter(const Animation& animation) : animation_(animation) {
    ColorCounts counts;
    for (std::size_t i = 0; i < animation_.frame_count(); ++i)
      counts.add(animation_.paint(i));
    palette_ = counts.palette(kMostGifColors);
    transparent_ = static_cast<int>(palette_.size());
  }

  std::string bytes() {
    std::string bytes;
    int failed = 0;
    std::unique_ptr<GifFileType, CloseGif> gif(EGifOpen(&bytes, append_to_string, &failed));
    if (!gif) refuse_gif();
    put_header(gif.get());
    NearestColor nearest(palette_);
    IndexedPixels before, now;
    int elapsed_ms = 0;
    for (std::size_t i = 0; i < animation_.frame_count(); ++i) {
      const FigurePixels frame = animation_.paint(i);
      now.resize(frame.pixels.size());
      std::transform(frame.pixels.begin(), frame.pixels.end(), now.begin(),
                     [&](Color color) { return nearest.index(color); });
      const int ends_ms = elapsed_ms + animation_.durations_ms[i];
      put_frame(gif.get(), before, now, hundredths(ends_ms) - hundredths(elapsed_ms));
      elapsed_ms = ends_ms;
      std::swap(before, now);
    }
    require_gif(EGifCloseFile(gif.release(), &failed));
    return bytes;
  }

 private:
  static int hundredths(int milliseconds) { return static_cast<int>(std::lround(milliseconds / 10.0)); }

  void put_header(GifFileType* gif) const {
    const int bits = GifBitSize(transparent_ + 1), count = 1 << bits;
    std::vector<GifColorType> colors(static_cast<std::size_t>(count));
    std::transform(palette_.begin(), palette_.end(), colors.begin(), [](Color color) {
      return GifColorType{color.r, color.g, color.b};
    });
    const std::unique_ptr<ColorMapObject, FreeColorMap> map(GifMakeMapObject(count, colors.data()));
    if (!map) refuse_gif();
    EGifSetGifVersion(gif, true);
    require_gif(EGifPutScreenDesc(gif, animation_.width, animation_.height, 8, 0, map.get()));
    // Again and again: the extension that Netscape began.
    constexpr std::array<GifByteType, 3> kEndless = {1, 0, 0};
    require_gif(EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE));
    require_gif(EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0"));
    require_gif(EGifPutExtensionBlock(gif, kEndless.size(), kEndless.data()));
    require_gif(EGifPutExtensionTrailer(gif));
  }

  void put_frame(GifFileType* gif, const IndexedPixels& before, const IndexedPixels& now,
                 int duration) const {
    const ChangedPart part = before.empty() ? ChangedPart{0, 0, animation_.width, animation_.height}
                                            : changed_part(before, now, animation_.width);
    const GraphicsControlBlock control = {DISPOSE_DO_NOT, false, duration, transparent_};
    std::array<GifByteType, 4> packed{};
    require_gif(static_cast<int>(EGifGCBToExtension(&control, packed.data())) == 4 ? GIF_OK : GIF_ERROR);
    require_gif(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, packed.size(), packed.data()));
    require_gif(EGifPutImageDesc(gif, part.left, part.top, part.width, part.height, false, nullptr));
    IndexedPixels row(static_cast<std::size_t>(part.width));
    for (int y = part.top; y < part.top + part.height; ++y) {
      for (int x = 0; x < part.width; ++x) {
        const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(animation_.width) +
                        static_cast<std::size_t>(part.left + x);
        const bool same = !before.empty() && before[at] == now[at];
        row[static_cast<std::size_t>(x)] = same ? static_cast<GifByteType>(transparent_) : now[at];
      }
      require_gif(EGifPutLine(gif, row.data(), part.width));
    }
  }

  const Animation& animation_;
  std::vector<Color> palette_;
  int transparent_ = 0;
};

}  // namespace

std::string gif_bytes(const Animation& animation) {
  return GifWriter(animation).bytes();
}

}  // namespace headlight
