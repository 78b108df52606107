#include "app/platform/gl_canvas.h"

#define GL_GLEXT_PROTOTYPES
#define GLFW_INCLUDE_GLEXT
#include <GL/glx.h>
#include <GLFW/glfw3.h>
#include <X11/Xproto.h>

#include <cstring>

namespace headlight {
namespace {

// The number of swaps since the contents of the back buffer were shown; 0 if unknown.
unsigned back_buffer_age() {
  constexpr int kBackBufferAge = 0x20F4;  // GLX_EXT_buffer_age
  Display* const display = glXGetCurrentDisplay();
  if (!display) return 0;
  static const bool known = [display] {
    const char* extensions = glXQueryExtensionsString(display, DefaultScreen(display));
    return extensions && std::strstr(extensions, "GLX_EXT_buffer_age");
  }();
  unsigned age = 0;
  if (known) glXQueryDrawable(display, glXGetCurrentDrawable(), kBackBufferAge, &age);
  return age;
}

// Whether the X server has this size for the window; it changes there before the event arrives here.
bool window_has_size(int width, int height) {
  Display* const display = glXGetCurrentDisplay();
  const GLXDrawable drawable = glXGetCurrentDrawable();
  unsigned real_width = 0, real_height = 0;
  glXQueryDrawable(display, drawable, GLX_WIDTH, &real_width);
  glXQueryDrawable(display, drawable, GLX_HEIGHT, &real_height);
  return real_width == static_cast<unsigned>(width) && real_height == static_cast<unsigned>(height);
}

using CopySubBuffer = void (*)(Display*, GLXDrawable, int x, int y, int width, int height);

// GLX_MESA_copy_sub_buffer; null if there is none.
CopySubBuffer copy_sub_buffer() {
  Display* const display = glXGetCurrentDisplay();
  if (!display) return nullptr;
  static const CopySubBuffer found = [display]() -> CopySubBuffer {
    const char* extensions = glXQueryExtensionsString(display, DefaultScreen(display));
    if (!extensions || !std::strstr(extensions, "GLX_MESA_copy_sub_buffer")) return nullptr;
    return reinterpret_cast<CopySubBuffer>(
        glXGetProcAddressARB(reinterpret_cast<const GLubyte*>("glXCopySubBufferMESA")));
  }();
  return found;
}

XErrorHandler xlibs_own = nullptr;

// The first request number of extensions. MIT-SHM, GLX, DRI3 and Present, through which drivers show
// pictures, have different numbers at each server, all above those of core requests.
constexpr int kFirstExtension = 128;

bool is_drawing(const XErrorEvent& error) {
  return error.request_code >= kFirstExtension || error.request_code == X_PutImage ||
         error.request_code == X_GetImage || error.request_code == X_CopyArea;
}

int pass_over_drawing(Display* display, XErrorEvent* error) {
  const bool misplaced = error->error_code == BadValue || error->error_code == BadMatch;
  return misplaced && is_drawing(*error) ? 0 : xlibs_own(display, error);
}

}  // namespace

void outlive_drawing_errors() {
  if (!xlibs_own) xlibs_own = XSetErrorHandler(pass_over_drawing);
}

GlCanvas::~GlCanvas() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &pixels_);
}

bool GlCanvas::bind(int width, int height) {
  if (framebuffer_ == 0) {
    glGenFramebuffers(1, &framebuffer_);
    glGenRenderbuffers(1, &pixels_);
  }
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  if (width == width_ && height == height_) return true;
  width_ = width;
  height_ = height;
  copies_due_ = 2;
  glBindRenderbuffer(GL_RENDERBUFFER, pixels_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels_);
  return false;
}

void GlCanvas::copy_to_window(const std::vector<PixelRect>& drawn) {
  constexpr std::size_t kMostBuffers = 4;
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  const bool whole = copies_due_ > 0;
  if (whole) {
    --copies_due_;
    forget_window();
  }
  const unsigned age = back_buffer_age();
  if (whole || age == 0 || age > drawn_.size() + 1) {
    copy({0, 0, width_, height_});
  } else {
    for (const PixelRect& rect : drawn)
      copy(rect);
    for (unsigned ago = 0; ago + 1 < age; ++ago)
      for (const PixelRect& rect : drawn_[ago])
        copy(rect);
  }
  drawn_.push_front(drawn);
  if (drawn_.size() > kMostBuffers) drawn_.pop_back();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

// If the age of the back buffer is known, a swap costs no more and is synchronised with the screen. It is
// unknown with Mesa's software driver, which copies the whole window in each swap.
bool GlCanvas::show_parts(const std::vector<PixelRect>& drawn) {
  const CopySubBuffer show = copy_sub_buffer();
  if (!show || size_is_new() || drawn_.empty() || back_buffer_age() > 0) return false;
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  for (const PixelRect& rect : drawn)
    copy(rect);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  // Drivers place a part relative to the window's edges: if the window is smaller now, it would lie outside.
  if (!window_has_size(width_, height_)) return false;
  for (const PixelRect& rect : drawn)
    show(glXGetCurrentDisplay(), glXGetCurrentDrawable(), rect.left, height_ - rect.bottom,
         rect.right - rect.left, rect.bottom - rect.top);
  return true;
}

void GlCanvas::copy_to_texture(const PixelRect& rect) const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, rect.left, height_ - rect.bottom, rect.right - rect.left,
                   rect.bottom - rect.top, 0);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
}

// OpenGL counts rows from the bottom.
void GlCanvas::copy(const PixelRect& rect) const {
  const int bottom = height_ - rect.bottom, top = height_ - rect.top;
  glBlitFramebuffer(rect.left, bottom, rect.right, top, rect.left, bottom, rect.right, top,
                    GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

}  // namespace headlight
