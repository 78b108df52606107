// The window: GLFW, its OpenGL 3.3 context, ImGui's backends, events and waiting; or the same offscreen.
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

// Rows from top to bottom; not premultiplied by opacity.
struct WindowIcon {
  int width = 0, height = 0;
  std::vector<Color> pixels;
};

struct WindowOptions {
  std::string title = "Headlight";
  int width = 1280, height = 800;  // in pixels at scale 1
  float scale = 0;                 // 0: from the monitor (Xft.dpi on X11); reduced if the screen is too small
  float text_scale = 1;            // an additional factor for everything in the window
  bool maximized = false;
  std::vector<WindowIcon> icons;  // one picture in several sizes, for the desktop to choose from
  bool offscreen = false;         // no window and no input: for pictures without a display
};

// The input that the frames have processed so far. A program that drives the window from outside presses
// Pause, which has no function, after its input, and waits until it is counted.
struct InputProgress {
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

  // The scale of everything that is drawn: that of the screen times that of the text.
  float scale() const;
  // Loads the fonts again, which invalidates the previous ones. Call between two frames.
  void set_text_scale(float text_scale);
  float text_scale() const;
  // Loads the fonts again if a frame has drawn text whose glyphs they lack, and returns whether it did. Such
  // a frame is not shown.
  bool renew_fonts();
  const Fonts& fonts() const;
  const std::string& missing_fonts() const;
  // The message that the requested scale was reduced; "" if it was not.
  const std::string& scale_warning() const;
  TextureStore& textures();

  // Waits for an event, for wake() or until `seconds` have passed (negative: no limit), then handles all
  // events that have arrived. Does not wait if events are pending.
  void wait_events(double seconds);
  // Waits for an event, for wake() or until `seconds` have passed, even if events are pending.
  void rest(double seconds);
  // Whether input events remain for later frames (input_replay.h).
  bool events_pending() const;
  // Ends wait_events or rest; may be called on any thread.
  void wake();

  // Passes the frame's input to ImGui, with which the frame is drawn from here on. Returns whether there was
  // any, a new size included.
  bool begin_frame();
  // Draws and shows what differs from the previous frame, if anything does.
  void end_frame(Color background);
  // Processor time of this thread in ms that the last end_frame spent in the driver, to draw and to show.
  double driver_ms() const;
  // Makes the next end_frame store its pixels for captured().
  void capture_next_frame();
  struct Picture {
    int width = 0, height = 0;
    std::vector<Color> pixels;  // opaque rows from top to bottom
  };
  const Picture& captured() const;

  bool close_requested() const;
  void cancel_close();
  void set_title(const std::string& title);
  // Files dropped onto the window since the last call.
  std::vector<std::filesystem::path> take_dropped_files();
  bool focused() const;
  struct Size {
    int width = 0, height = 0;
  };
  Size size_at_scale_1() const;  // as WindowOptions has it
  bool maximized() const;
  const InputProgress& input_progress() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
