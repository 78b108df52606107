#include "app/platform/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <imgui.h>

#include <chrono>
#include <string>

#include "engine/core/error.h"

namespace headlight {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(
      "nothing can be drawn without a display here (" + what + ")", "display",
      "install Mesa's software driver, the packages libegl1 and libgl1-mesa-dri, or start it on a desktop");
}

}  // namespace

struct Offscreen::Context {
  Context() {
    // A platform of Mesa that requires no screen, no window and no graphics card.
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr))
      refuse("EGL has no surfaceless platform");
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                             EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              3,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint count = 0;
    eglChooseConfig(display, wanted, &config, 1, &count);
    if (eglBindAPI(EGL_OPENGL_API))
      context = eglCreateContext(display, count > 0 ? config : EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
      close();
      refuse("there is no OpenGL 3.3");
    }
  }
  ~Context() { close(); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void close() {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
  }

  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
};

Offscreen::Offscreen(int width, int height)
    : width_(width), height_(height), context_(std::make_unique<Context>()) {
  constexpr int kMostPixels = 16384;  // every OpenGL driver has textures of this size
  if (width > kMostPixels || height > kMostPixels)
    throw Error("the picture would be " + std::to_string(width) + " x " + std::to_string(height) + " pixels",
                "--size",
                "at most " + std::to_string(kMostPixels) + " each way: a smaller --size or --scale");
}

Offscreen::~Offscreen() = default;

void Offscreen::begin_frame() const {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
  io.DisplayFramebufferScale = {1, 1};
  io.DeltaTime = 1.0F / 60;
}

void Offscreen::wait(double seconds) {
  std::unique_lock lock(mutex_);
  const auto woken = [this] { return awake_; };
  if (seconds < 0)
    changed_.wait(lock, woken);
  else
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), woken);
  awake_ = false;
}

void Offscreen::wake() {
  const std::lock_guard lock(mutex_);
  awake_ = true;
  changed_.notify_one();
}

}  // namespace headlight
