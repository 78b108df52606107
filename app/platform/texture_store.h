// TextureStore: pictures of cells as ImGui textures.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  // Copies what the window shows in this rectangle, in pixels: the last frame that was drawn. Returns false
  // if it has shown nothing there yet; then there is no copy under `key`.
  virtual bool copy_shown(const std::string& key, int x, int y, int width, int height) = 0;
  // The copy under `key`, freed a few frames after the last call; nullopt if there is none.
  virtual std::optional<ImTextureID> copied(const std::string& key) = 0;
  // A number that grows whenever the texture's pixels change; 0 for textures of other owners.
  virtual std::uint64_t uploads(ImTextureID texture) const = 0;
  virtual void end_frame() = 0;
};

class GlCanvas;

// Needs a current OpenGL context. `canvas`: what the window shows; it outlives the store.
std::unique_ptr<TextureStore> make_gl_textures(const GlCanvas& canvas);
// Uploads nothing: for tests of panels without a window. `copies`: copy_shown() says that it has copied, so
// that what needs a copy of the last frame moves.
std::unique_ptr<TextureStore> make_null_textures(bool copies = false);

}  // namespace headlight
