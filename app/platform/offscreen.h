// OpenGL 3.3 without a window system: drawing goes to memory, and there is no input.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

namespace headlight {

// Replaces GLFW for a picture of the window without a display. Its context is current on the thread that
// created it, during its whole lifetime.
class Offscreen {
 public:
  // In pixels, at most 16,384 each. Throws Error, whose place is "--size", if they are more; whose place is
  // "display", if EGL has no surfaceless platform or no OpenGL 3.3.
  Offscreen(int width, int height);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }

  // Call before ImGui::NewFrame, in place of the window backend.
  void begin_frame() const;
  // Waits until wake() is called from any thread, or until `seconds` have passed (negative: no limit).
  void wait(double seconds);
  void wake();

 private:
  struct Context;

  int width_, height_;
  std::unique_ptr<Context> context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool awake_ = false;
};

}  // namespace headlight
