// A picture of the window that persists from frame to frame: the contents of the window's buffers are
// undefined after they have been shown.
#pragma once

#include <deque>
#include <vector>

#include "app/platform/damage.h"

namespace headlight {

// Requires a current OpenGL 3.3 context during its whole lifetime.
class GlCanvas {
 public:
  GlCanvas() = default;
  ~GlCanvas();
  GlCanvas(const GlCanvas&) = delete;
  GlCanvas& operator=(const GlCanvas&) = delete;

  // Directs drawing and reading to the canvas. Returns whether its pixels are those of the previous frame:
  // not in the first call, nor after a change of size.
  bool bind(int width, int height);
  // Whether the canvas has pixels there.
  bool holds(const PixelRect& rect) const {
    return framebuffer_ != 0 && rect.left >= 0 && rect.top >= 0 && rect.left < rect.right &&
           rect.top < rect.bottom && rect.right <= width_ && rect.bottom <= height_;
  }
  // Copies a part into the bound texture, opaque, its last row first. Precondition: it holds the part.
  void copy_to_texture(const PixelRect& rect) const;
  // Copies the canvas to the window's back buffer and directs drawing to that buffer. If the driver reports
  // when it was last shown, copies only the parts drawn since then. `drawn`: since the last call.
  void copy_to_window(const std::vector<PixelRect>& drawn);
  // Shows only the parts drawn since the last call, without a swap of the buffers. Returns false and shows
  // nothing if the driver cannot: then copy_to_window and a swap are required.
  bool show_parts(const std::vector<PixelRect>& drawn);
  // Whether the size changed less than two copies ago, so that copy_to_window and a swap are required,
  // whatever was drawn: drivers learn the size in a swap, and may misplace what they got before it.
  bool size_is_new() const { return copies_due_ > 0; }
  // Discards the record of earlier copies, on which the next copy_to_window relies.
  void forget_window() { drawn_.clear(); }

 private:
  void copy(const PixelRect& rect) const;

  unsigned framebuffer_ = 0, pixels_ = 0;
  int width_ = 0, height_ = 0;
  int copies_due_ = 0;
  std::deque<std::vector<PixelRect>> drawn_;  // in the last copies, the newest first
};

// Makes Xlib ignore errors of drawing requests; any other error ends the program with Xlib's message. A
// drawing request refers to the size of the window when it was sent: while the desktop makes the window
// smaller, it may lie outside, and a whole frame follows in any case. Does nothing if no X server is in use.
void outlive_drawing_errors();

}  // namespace headlight
