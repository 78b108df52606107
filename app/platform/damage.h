// Damage: the parts of the window that differ from the previous frame, so that only they are drawn. Without a
// graphics processor, drawing the whole window is most of a frame's work.
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
  // Returns a number that grows when the texture's pixels change.
  using TextureVersion = std::function<std::uint64_t(ImTextureID)>;

  // The rectangles to draw to turn the picture of the last call into that of `frame`: few and disjoint, none
  // if nothing changed, the whole window after forget() and after a change of size. `ground`: a number that
  // identifies the background. Cost: linear in the number of vertices.
  std::vector<PixelRect> changed(const ImDrawData& frame, std::uint64_t ground,
                                 const TextureVersion& version);
  void forget() { squares_.clear(); }
  // Clips each command of the frame to the rectangles. Precondition: `frame` is that of the last call of
  // changed(), the rectangles are disjoint.
  void restrict_to(ImDrawData& frame, const std::vector<PixelRect>& rects) const;

 private:
  int columns_ = 0, rows_ = 0;
  // For each square of the window a hash of what is drawn in it, in drawing order.
  std::vector<std::uint64_t> squares_;
  std::vector<ImVec4> boxes_;  // the areas of the last frame's commands, list by list
};

}  // namespace headlight
