#include "app/platform/window.h"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#define GLFW_INCLUDE_GLEXT
#include <GLFW/glfw3.h>

#include "app/platform/cpu_clock.h"
#include "app/platform/damage.h"
#include "app/platform/gl_canvas.h"
#include "app/platform/imgui_compat.h"
#include "app/platform/imgui_memory.h"
#include "app/platform/offscreen.h"
#include "app/platform/text_clipboard.h"
#include "app/platform/text_glyphs.h"
#include "app/platform/window_input.h"
#include "engine/core/error.h"
#include "engine/core/machine_memory.h"

// Declared here, because GLFW's header for it includes Xlib's macros. Weak, because a GLFW built only for
// Wayland does not have it.
extern "C" __attribute__((weak)) unsigned long glfwGetX11Window(GLFWwindow* window);

namespace headlight {
namespace {

// X11's identifier of the window; 0 if it has none.
std::uint32_t x11_id(GLFWwindow* window) {
  return glfwGetX11Window ? static_cast<std::uint32_t>(glfwGetX11Window(window)) : 0;
}

// GLFW's last error message, for the Error that follows.
std::string& glfw_error_text() {
  static std::string text;
  return text;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

[[noreturn]] void refuse(const std::string& reason) {
  throw Error("no window can be opened (" + reason + ")", "display",
              "start it on a desktop, or use `headlight export` and `headlight print`, which need none");
}

struct GlfwLibrary {
  explicit GlfwLibrary(bool wanted) : wanted_(wanted) {
    if (!wanted_) return;
    glfwSetErrorCallback([](int, const char* text) { glfw_error_text() = text; });
#ifdef GLFW_PLATFORM
    // The layout is in device pixels, which X11 reports and Wayland does not.
    if (is_set("DISPLAY") && glfwPlatformSupported(GLFW_PLATFORM_X11))
      glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
    // Checked first, because Wayland's libraries print a message.
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
      refuse("neither DISPLAY nor WAYLAND_DISPLAY is set");
    if (!glfwInit()) refuse(glfw_error_text());
    outlive_drawing_errors();
  }
  ~GlfwLibrary() {
    if (wanted_) glfwTerminate();
  }

 private:
  bool wanted_;
};

struct GlfwWindow {
  explicit GlfwWindow(GLFWwindow* opened) : window(opened) {}
  ~GlfwWindow() {
    if (window) glfwDestroyWindow(window);
  }
  GLFWwindow* window;  // null if offscreen
};

float monitor_scale() {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  float x = 1, y = 1;
  if (monitor) glfwGetMonitorContentScale(monitor, &x, &y);
  const float wanted = std::max(x, y);
  return std::isfinite(wanted) ? std::clamp(wanted, 0.5F, 4.0F) : 1;
}

struct ScreenArea {
  int width = 0, height = 0;  // in pixels; 0: unknown
};

ScreenArea screen_area() {
  ScreenArea room;
  int x = 0, y = 0;
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor())
    glfwGetMonitorWorkarea(monitor, &x, &y, &room.width, &room.height);
  return room;
}

// Limits the scale to the size of the screen: with a larger one no control would be entirely in sight.
float usable_scale(float wanted, const ScreenArea& room, std::string& refused) {
  constexpr float kLeastWidth = 640, kLeastHeight = 400;
  if (room.width <= 0 || room.height <= 0) return wanted;
  const float most = std::max(1.0F, std::min(static_cast<float>(room.width) / kLeastWidth,
                                             static_cast<float>(room.height) / kLeastHeight));
  if (wanted <= most) return wanted;
  char text[120];
  std::snprintf(text, sizeof text,
                "A scale of %g is too large for a screen of %d x %d pixels: it is %.3g now",
                static_cast<double>(wanted), room.width, room.height, static_cast<double>(most));
  refused = text;
  return most;
}

float first_scale(const WindowOptions& options, std::string& refused) {
  if (options.offscreen) return options.scale > 0 ? options.scale : 1;
  return usable_scale(options.scale > 0 ? options.scale : monitor_scale(), screen_area(), refused);
}

GLFWwindow* open_window(const WindowOptions& options, float scale) {
  if (options.offscreen) return nullptr;
  int width = static_cast<int>(std::lround(options.width * scale));
  int height = static_cast<int>(std::lround(options.height * scale));
  if (const ScreenArea room = screen_area(); room.width > 0 && room.height > 0) {
    width = std::min(width, room.width);
    height = std::min(height, room.height);
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_MAXIMIZED, options.maximized ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);  // until the first frame is drawn
  // Desktops associate the window with headlight.desktop by these names.
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "headlight");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headlight");
#ifdef GLFW_WAYLAND_APP_ID
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "headlight");
#endif
  GLFWwindow* window = glfwCreateWindow(width, height, options.title.c_str(), nullptr, nullptr);
  if (!window) {
    throw Error("no window with OpenGL 3.3 can be opened (" + glfw_error_text() + ")", "display",
                "install a graphics driver, or Mesa's software one: the package libgl1-mesa-dri");
  }
  return window;
}

// Under Wayland GLFW rejects this, and the desktop takes the icon from headlight.desktop.
void set_icons(GLFWwindow* window, const std::vector<WindowIcon>& icons) {
  std::vector<GLFWimage> images;
  std::vector<unsigned char> bytes;
  for (const WindowIcon& icon : icons)
    for (const Color& pixel : icon.pixels)
      bytes.insert(bytes.end(), {pixel.r, pixel.g, pixel.b, pixel.a});
  std::size_t begin = 0;
  for (const WindowIcon& icon : icons) {
    images.push_back({icon.width, icon.height, bytes.data() + begin});
    begin += 4 * icon.pixels.size();
  }
  glfwSetWindowIcon(window, static_cast<int>(images.size()), images.data());
}

struct ImGuiSession {
  ImGuiSession() {
    IMGUI_CHECKVERSION();
    throw_without_memory();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigInputTextCursorBlink = false;  // a sleeping window draws no frames to blink in
    io.ConfigWindowsMoveFromTitleBarOnly = true;
  }
  ~ImGuiSession() { ImGui::DestroyContext(); }
};

struct GlRenderer {
  GlRenderer() {
    ImGui_ImplOpenGL3_Init("#version 330 core");
    begin_fonts();
  }
  ~GlRenderer() {
    end_fonts();
    ImGui_ImplOpenGL3_Shutdown();
  }
};

// The pixels of the bound canvas, in rows from top to bottom.
Window::Picture read_canvas(int width, int height) {
  Window::Picture picture{width, height, {}};
  picture.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, picture.pixels.data());
  for (int row = 0; row < height / 2; ++row) {
    const auto top = picture.pixels.begin() + static_cast<std::ptrdiff_t>(row) * width;
    const auto bottom = picture.pixels.begin() + static_cast<std::ptrdiff_t>(height - 1 - row) * width;
    std::swap_ranges(top, top + width, bottom);
  }
  for (Color& pixel : picture.pixels)
    pixel.a = 255;
  return picture;
}

}  // namespace

// Members are destroyed from the last to the first: all OpenGL objects before their context.
struct Window::State {
  explicit State(const WindowOptions& options)
      : library(!options.offscreen),
        screen_scale(first_scale(options, scale_warning)),
        text_scale(options.text_scale),
        glfw(open_window(options, screen_scale)) {
    if (options.offscreen) {
      offscreen.emplace(in_pixels(options.width), in_pixels(options.height));
    } else {
      set_icons(glfw.window, options.icons);
      glfwMakeContextCurrent(glfw.window);
      glfwSwapInterval(1);
    }
    fonts = load_fonts(scale(), missing_fonts);
    if (glfw.window) {
      input.emplace(glfw.window);
      if (const std::uint32_t id = x11_id(glfw.window); id != 0) clipboard.emplace(id);
      translate_clipboard([this] { return clipboard ? clipboard->text_of_others() : std::nullopt; });
    }
    renderer.emplace();
    textures = make_gl_textures(canvas);
  }

  void make_fonts() {
    release_fonts();
    ImGui::GetIO().Fonts->Clear();
    fonts = load_fonts(scale(), missing_fonts);
    upload_fonts();
    damage.forget();  // the letters have moved in the texture, whose name may be the same
  }
  // Larger letters do not fit in one texture.
  float scale() const { return std::min(screen_scale * text_scale, 8.0F); }
  int in_pixels(int planned) const {
    return static_cast<int>(std::lround(static_cast<float>(planned) * screen_scale));
  }
  Size framebuffer_size() const;
  std::vector<PixelRect> draw(ImDrawData& frame, Color background, int width, int height);
  void show(const std::vector<PixelRect>& drawn);

  GlfwLibrary library;
  std::string scale_warning;
  float screen_scale, text_scale;
  GlfwWindow glfw;
  std::optional<Offscreen> offscreen;  // in place of the window
  ImGuiSession imgui;
  Fonts fonts;
  std::string missing_fonts;
  std::optional<WindowInput> input;        // none off screen
  std::optional<TextClipboard> clipboard;  // on X11
  std::optional<GlRenderer> renderer;
  std::unique_ptr<TextureStore> textures;
  Damage damage;
  GlCanvas canvas;
  double driver_ms = 0;  // of the last frame
  int renewals = 0;      // of the fonts in consecutive frames
  bool shown = false;
  bool capture = false;
  Picture picture;
};

Window::Window(const WindowOptions& options) {
  // For what a driver maps and its shader compiler allocates; both end the program if they get no memory.
  constexpr std::size_t kForDriver = std::size_t{1024} << 20;
  require_address_space(kForDriver);
  state_ = std::make_unique<State>(options);
}
Window::~Window() = default;

float Window::scale() const {
  return state_->scale();
}
float Window::text_scale() const {
  return state_->text_scale;
}
void Window::set_text_scale(float text_scale) {
  state_->text_scale = text_scale;
  state_->make_fonts();
}
bool Window::renew_fonts() {
  if (!glyphs_pending()) {
    state_->renewals = 0;
    return false;
  }
  ++state_->renewals;
  state_->make_fonts();
  return true;
}
const Fonts& Window::fonts() const {
  return state_->fonts;
}
const std::string& Window::missing_fonts() const {
  return state_->missing_fonts;
}
const std::string& Window::scale_warning() const {
  return state_->scale_warning;
}
TextureStore& Window::textures() {
  return *state_->textures;
}

void Window::wait_events(double seconds) {
  if (state_->offscreen) {
    state_->offscreen->wait(seconds);
  } else if (seconds == 0 || events_pending()) {
    glfwPollEvents();
  } else if (seconds > 0) {
    glfwWaitEventsTimeout(seconds);
  } else {
    glfwWaitEvents();
  }
}

void Window::rest(double seconds) {
  if (state_->offscreen)
    state_->offscreen->wait(seconds);
  else
    glfwWaitEventsTimeout(seconds);
}

bool Window::events_pending() const {
  return state_->input && state_->input->pending();
}
void Window::wake() {
  if (state_->offscreen)
    state_->offscreen->wake();
  else
    glfwPostEmptyEvent();
}

bool Window::begin_frame() {
  ImGui_ImplOpenGL3_NewFrame();
  const bool received = state_->input && state_->input->begin_frame();
  if (state_->offscreen) state_->offscreen->begin_frame();
  ImGui::NewFrame();
  return received;
}

void Window::end_frame(Color background) {
  close_menu_on_escape();
  ImGui::Render();
  const auto [width, height] = state_->framebuffer_size();
  std::vector<PixelRect> drawn;
  state_->driver_ms = 0;
  // Text that changes in every frame must not prevent the window from being drawn.
  constexpr int kMostRenewals = 4;
  if (glyphs_pending() && state_->renewals < kMostRenewals) return state_->textures->end_frame();
  if (width > 0 && height > 0) drawn = state_->draw(*ImGui::GetDrawData(), background, width, height);
  const double driver_began = thread_cpu_ms();
  if (state_->glfw.window) state_->show(drawn);
  state_->driver_ms += thread_cpu_ms() - driver_began;
  state_->textures->end_frame();
}

Window::Size Window::State::framebuffer_size() const {
  if (offscreen) return {offscreen->width(), offscreen->height()};
  Size size;
  glfwGetFramebufferSize(glfw.window, &size.width, &size.height);
  return size;
}

// Shows the canvas in the window. `drawn`: what differs from the previous frame.
void Window::State::show(const std::vector<PixelRect>& drawn) {
  if (!std::exchange(shown, true)) glfwShowWindow(glfw.window);
  const bool exposed = input->take_exposed();
  if (exposed) canvas.forget_window();
  const bool whole = exposed || canvas.size_is_new();
  if (!whole && (drawn.empty() || canvas.show_parts(drawn))) return;
  canvas.copy_to_window(drawn);
  glfwSwapBuffers(glfw.window);
}

double Window::driver_ms() const {
  return state_->driver_ms;
}

// Returns the rectangles that were drawn.
std::vector<PixelRect> Window::State::draw(ImDrawData& frame, Color background, int width, int height) {
  if (!canvas.bind(width, height)) damage.forget();
  const auto ground = static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(background));
  std::vector<PixelRect> rects =
      damage.changed(frame, ground, [this](ImTextureID texture) { return textures->uploads(texture); });
  // If the window's units are not pixels, every frame is drawn as a whole.
  const bool in_pixels = frame.FramebufferScale.x == 1 && frame.FramebufferScale.y == 1;
  if (in_pixels) damage.restrict_to(frame, rects);
  const double driver_began = thread_cpu_ms();
  glViewport(0, 0, width, height);
  glClearColor(background.r / 255.0F, background.g / 255.0F, background.b / 255.0F, 1.0F);
  if (!in_pixels) {
    glDisable(GL_SCISSOR_TEST);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glEnable(GL_SCISSOR_TEST);
  for (const PixelRect& rect : rects) {
    if (!in_pixels) break;
    glScissor(rect.left, height - rect.bottom, rect.right - rect.left, rect.bottom - rect.top);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glDisable(GL_SCISSOR_TEST);
  if (!rects.empty()) ImGui_ImplOpenGL3_RenderDrawData(&frame);
  if (std::exchange(capture, false)) picture = read_canvas(width, height);
  driver_ms += thread_cpu_ms() - driver_began;
  return rects;
}

void Window::capture_next_frame() {
  state_->capture = true;
}
const Window::Picture& Window::captured() const {
  return state_->picture;
}

bool Window::close_requested() const {
  return state_->glfw.window && glfwWindowShouldClose(state_->glfw.window) != 0;
}
void Window::cancel_close() {
  if (state_->glfw.window) glfwSetWindowShouldClose(state_->glfw.window, GLFW_FALSE);
}
void Window::set_title(const std::string& title) {
  if (state_->glfw.window) glfwSetWindowTitle(state_->glfw.window, title.c_str());
}

std::vector<std::filesystem::path> Window::take_dropped_files() {
  return state_->input ? state_->input->take_dropped_files() : std::vector<std::filesystem::path>();
}

bool Window::focused() const {
  return state_->glfw.window && glfwGetWindowAttrib(state_->glfw.window, GLFW_FOCUSED) != 0;
}
Window::Size Window::size_at_scale_1() const {
  Size size = state_->framebuffer_size();
  if (state_->glfw.window) glfwGetWindowSize(state_->glfw.window, &size.width, &size.height);
  const auto planned = [this](int pixels) {
    return static_cast<int>(std::lround(static_cast<float>(pixels) / state_->screen_scale));
  };
  return {planned(size.width), planned(size.height)};
}
bool Window::maximized() const {
  return state_->glfw.window && glfwGetWindowAttrib(state_->glfw.window, GLFW_MAXIMIZED) != 0;
}
const InputProgress& Window::input_progress() const {
  static const InputProgress nothing;
  return state_->input ? state_->input->seen() : nothing;
}

}  // namespace headlight
