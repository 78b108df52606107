// A picture of the window that stays from frame to frame: what a window's own buffers hold after they have
// been shown is not defined.
#pragma once

#include <deque>
#include <vector>

#include "app/platform/damage.h"

namespace headlight {

// Needs a current OpenGL 3.3 context, for as long as it lives.
class GlCanvas {
 public:
  GlCanvas() = default;
  ~GlCanvas();
  GlCanvas(const GlCanvas&) = delete;
  GlCanvas& operator=(const GlCanvas&) = delete;

  // Drawing and reading go to the canvas from here on. Whether its pixels are those of the frame before: not
  // at first, and not when the size is another one.
  bool bind(int width, int height);
  // Copies it to the window's back buffer, where drawing goes from here on; only the parts that were drawn
  // since that buffer was last shown, where the driver tells when that was. `drawn`: since the last call.
  void copy_to_window(const std::vector<PixelRect>& drawn);
  // Puts only the parts that were drawn since the last call on screen, and does without showing the whole
  // back buffer; false, and nothing is done, where the driver cannot: then copy_to_window and a swap.
  bool show_parts(const std::vector<PixelRect>& drawn);
  // Whether the window has had its size for so short a while that copy_to_window and a swap are due, whatever
  // was drawn: drivers learn of the size in a swap, and what they were given before it may stand elsewhere.
  bool size_is_new() const { return copies_due_ > 0; }
  // Of the next copy: as if nothing were known of the back buffer.
  void forget_window() { drawn_.clear(); }

 private:
  void copy(const PixelRect& rect) const;

  unsigned framebuffer_ = 0, pixels_ = 0;
  int width_ = 0, height_ = 0;
  int copies_due_ = 0;
  std::deque<std::vector<PixelRect>> drawn_;  // for the last copies, the newest first
};

// From here on an error about drawing is passed over; any other ends the program with Xlib's own words. What
// is drawn is meant for the size that the window had when it was sent off: while a desktop makes the window
// smaller, such a request may lie outside, and a whole frame follows in any case. Does nothing where no X
// server is in use.
void outlive_drawing_errors();

}  // namespace headlight
