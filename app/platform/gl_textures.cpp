#define GLFW_INCLUDE_GLEXT
#include <GLFW/glfw3.h>

#include <unordered_map>

#include "app/platform/gl_canvas.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/texture_store.h"

namespace headlight {
namespace {

// A texture unused for more frames is deleted; a card that scrolls out of sight and back sooner keeps it.
constexpr int kUnusedFrames = 8;

static_assert(sizeof(Color) == 4, "colours are handed to OpenGL as four bytes each");

// The key is the caller's name for the picture.
class GlTextures final : public TextureStore {
 public:
  explicit GlTextures(const GlCanvas& canvas) : canvas_(canvas) {}
  ~GlTextures() override {
    for (const auto& [key, entry] : entries_)
      glDeleteTextures(1, &entry.name);
  }

  ImTextureID texture(const std::string& key, std::uint64_t version, int width, int height,
                      const std::vector<Color>& pixels) override {
    Entry& entry = entries_[key];
    entry.frames_unused = 0;
    const bool fresh = entry.name == 0;
    if (fresh) entry.name = make_texture(GL_NEAREST);
    if (fresh || entry.version != version || entry.width != width || entry.height != height) {
      upload(entry, width, height, pixels);
      entry.version = version;
      uploads_[entry.name] = ++upload_count_;
    }
    return texture_id(entry.name);
  }

  bool copy_shown(const std::string& key, int x, int y, int width, int height) override {
    if (!canvas_.holds({x, y, x + width, y + height})) return false;
    Entry& entry = entries_[copy_key(key)];
    entry.frames_unused = 0;
    if (entry.name == 0) entry.name = make_texture(GL_LINEAR);
    glBindTexture(GL_TEXTURE_2D, entry.name);
    canvas_.copy_to_texture({x, y, x + width, y + height});
    glBindTexture(GL_TEXTURE_2D, 0);
    uploads_[entry.name] = ++upload_count_;
    return true;
  }

  std::optional<ImTextureID> copied(const std::string& key) override {
    const auto found = entries_.find(copy_key(key));
    if (found == entries_.end()) return std::nullopt;
    found->second.frames_unused = 0;
    return texture_id(found->second.name);
  }

  std::uint64_t uploads(ImTextureID texture) const override {
    const auto found = uploads_.find(gl_name(texture));
    return found == uploads_.end() ? 0 : found->second;
  }

  void end_frame() override {
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (++at->second.frames_unused > kUnusedFrames) {
        glDeleteTextures(1, &at->second.name);
        uploads_.erase(at->second.name);
        at = entries_.erase(at);
      } else {
        ++at;
      }
    }
  }

 private:
  struct Entry {
    GLuint name = 0;
    std::uint64_t version = 0;
    int width = 0, height = 0;
    int frames_unused = 0;
  };

  // Copies have names of their own.
  static std::string copy_key(const std::string& key) { return "copy:" + key; }

  static GLuint make_texture(GLint filter) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return name;
  }

  static void upload(Entry& entry, int width, int height, const std::vector<Color>& pixels) {
    glBindTexture(GL_TEXTURE_2D, entry.name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (entry.width == width && entry.height == height) {
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    } else {
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
      entry.width = width;
      entry.height = height;
    }
    glBindTexture(GL_TEXTURE_2D, 0);
  }

  const GlCanvas& canvas_;
  std::unordered_map<std::string, Entry> entries_;
  std::unordered_map<GLuint, std::uint64_t> uploads_;  // number of the last upload, by GL name
  std::uint64_t upload_count_ = 0;
};

class NullTextures final : public TextureStore {
 public:
  explicit NullTextures(bool copies) : copies_(copies) {}
  ImTextureID texture(const std::string&, std::uint64_t, int, int, const std::vector<Color>&) override {
    return texture_id(1);
  }
  bool copy_shown(const std::string&, int, int, int, int) override { return copies_; }
  std::optional<ImTextureID> copied(const std::string&) override {
    return copies_ ? std::optional(texture_id(2)) : std::nullopt;
  }
  std::uint64_t uploads(ImTextureID) const override { return 0; }
  void end_frame() override {}

 private:
  bool copies_;
};

}  // namespace

std::unique_ptr<TextureStore> make_gl_textures(const GlCanvas& canvas) {
  return std::make_unique<GlTextures>(canvas);
}
std::unique_ptr<TextureStore> make_null_textures(bool copies) {
  return std::make_unique<NullTextures>(copies);
}

}  // namespace headlight
