// The window: GLFW, its OpenGL 3.3 context, ImGui's backends, events and sleep. Or the same in memory only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/figure/color/colormap.h"
#include "app/platform/fonts.h"
#include "app/platform/texture_store.h"

namespace headlight {

// Rows from top to bottom; opacity is not multiplied into the colours.
struct WindowIcon {
  int width = 0, height = 0;
  std::vector<Color> pixels;
};

struct WindowOptions {
  std::string title = "Headlight";
  int width = 1280, height = 800;  // in pixels at scale 1
  float scale = 0;                 // 0: from the monitor (Xft.dpi on X11); less where the screen is too small
  float text_scale = 1;            // of everything in the window, beside it
  bool maximized = false;
  std::vector<WindowIcon> icons;  // one picture in several sizes, for the desktop to choose from
  bool offscreen = false;  // no window opens and nothing comes in: for pictures where there is no display
};

// How far the frames have come with the input. A program that drives the window from outside presses Pause,
// which means nothing here, after what it does, and waits until it is counted.
struct InputSeen {
  std::uint64_t marks = 0;  // releases of Pause
  double pointer_x = -1, pointer_y = -1;
};

class Window {
 public:
  // Throws Error, whose place is "display", when there is no display or no OpenGL 3.3.
  explicit Window(const WindowOptions& options);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Of everything that is drawn: the screen's times the text's.
  float scale() const;
  // Makes the fonts anew; between two frames. Fonts given out before are gone.
  void set_text_scale(float text_scale);
  float text_scale() const;
  // The same where a frame has drawn text whose glyphs the fonts lack. Such a frame is not shown.
  bool renew_fonts();
  const Fonts& fonts() const;
  const std::string& missing_fonts() const;
  // What was not taken of the scale; "" where it was.
  const std::string& refused_scale() const;
  TextureStore& textures();

  // Waits for an event, for wake() or until `seconds` have passed (negative: no limit), then handles all
  // events that are there. Key events that came and went within a frame are replayed one a frame.
  void wait_events(double seconds);
  // Waits for an event, for wake() or until `seconds` have passed, whatever is waiting for a frame.
  void rest(double seconds);
  // More key events are waiting for a frame of their own.
  bool events_pending() const;
  // Ends a wait_events from any thread.
  void wake();

  void begin_frame();  // after it, draw with ImGui
  // Draws what differs from the frame before and shows it; does nothing where nothing does.
  void end_frame(Color background);
  // Processor time of this thread that end_frame has spent in the driver, to draw and to show.
  double driver_ms() const;
  // The pixels of the frame last drawn, as RGBA rows from top to bottom; call before the next frame.
  void capture_next_frame();
  struct Picture {
    int width = 0, height = 0;
    std::vector<Color> pixels;
  };
  const Picture& captured() const;

  bool close_requested() const;
  void cancel_close();
  void set_title(const std::string& title);
  // Files dropped onto the window since the last call.
  std::vector<std::filesystem::path> take_dropped_files();
  bool focused() const;
  // The window's name for other programs that put a dialog above it: "x11:1a0003"; "" where it has none.
  std::string portal_handle() const;
  struct Size {
    int width = 0, height = 0;
  };
  Size size_at_scale_1() const;  // as WindowOptions has it
  bool maximized() const;
  const InputSeen& input_seen() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
