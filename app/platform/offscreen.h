// OpenGL 3.3 without a window system: what is drawn stays in memory, and nobody types or points.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

namespace headlight {

// Takes the place of GLFW for a picture of the window where there is no display. Its context is current on
// the thread that made it, for as long as it lives.
class Offscreen {
 public:
  // In pixels. Throws Error (its place is "display") where EGL has no surfaceless platform or no OpenGL 3.3.
  Offscreen(int width, int height);
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }

  // Before ImGui::NewFrame, in place of the backend that knows the window.
  void begin_frame() const;
  // Until wake() is called from any thread, or until `seconds` have passed (negative: no limit).
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
