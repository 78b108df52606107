// TextureStore: pictures of cells as ImGui textures.
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
  // The texture stored under `key`, with width x height nearest-filtered pixels. Uploads only if `version` or
  // the size differs from the last call. Textures that are no longer requested are freed a few frames later.
  virtual ImTextureID texture(const std::string& key, std::uint64_t version, int width, int height,
                              const std::vector<Color>& pixels) = 0;
  // A number that grows whenever the texture's pixels change; 0 for textures of other owners.
  virtual std::uint64_t uploads(ImTextureID texture) const = 0;
  virtual void end_frame() = 0;
};

// Needs a current OpenGL context.
std::unique_ptr<TextureStore> make_gl_textures();
// Uploads nothing: for tests of panels without a window.
std::unique_ptr<TextureStore> make_null_textures();

}  // namespace headlight
