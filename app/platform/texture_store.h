// Pictures of cells for the window: pixels in, an ImGui texture out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/figure/color/colormap.h"

namespace headlight {

class TextureStore {
 public:
  virtual ~TextureStore() = default;
  // The texture kept under `key`, of width x height nearest-filtered pixels. Uploads only when `version`
  // differs from that of the last call. Textures not asked for in a frame are freed a few frames later.
  virtual ImTextureID texture(const std::string& key, std::uint64_t version, int width, int height,
                              const std::vector<Color>& pixels) = 0;
  // Grows whenever a texture gets other pixels; 0 for those that are not of this store.
  virtual std::uint64_t uploads(ImTextureID texture) const = 0;
  virtual void end_frame() = 0;
};

// Needs a current OpenGL context.
std::unique_ptr<TextureStore> make_gl_textures();
// Uploads nothing: for tests of panels without a window.
std::unique_ptr<TextureStore> make_null_textures();

}  // namespace headlight
