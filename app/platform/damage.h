// Which parts of the window differ from the frame before, so that only they are drawn again. Without a
// graphics processor drawing the whole window is most of a frame's work.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <imgui.h>

namespace headlight {

struct PixelRect {  // half open, from the top left
  int left = 0, top = 0, right = 0, bottom = 0;
  bool operator==(const PixelRect&) const = default;
};

class Damage {
 public:
  // Grows when a texture gets other pixels.
  using TextureVersion = std::function<std::uint64_t(ImTextureID)>;

  // What must be drawn anew to turn the picture of the last call into that of `frame`: few rectangles, apart
  // from each other, empty when nothing changed. All of it after forget() and when the size is another one.
  // `ground` is what it is drawn on. Cost: a look at every vertex.
  std::vector<PixelRect> changed(const ImDrawData& frame, std::uint64_t ground,
                                 const TextureVersion& version);
  void forget() { squares_.clear(); }
  // Keeps of each command of the frame, which is that of the last call of changed(), what falls into the
  // rectangles, which must be apart from each other.
  void restrict_to(ImDrawData& frame, const std::vector<PixelRect>& rects) const;

 private:
  int columns_ = 0, rows_ = 0;
  // What is drawn in each square of the window, in its order: a number that differs when that does.
  std::vector<std::uint64_t> squares_;
  std::vector<ImVec4> boxes_;  // where the last frame's commands draw, list by list
};

}  // namespace headlight
