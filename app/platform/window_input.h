// WindowInput: a window's input, which is queued in order, replayed to ImGui frame by frame, and counted.
#pragma once

#include <deque>
#include <filesystem>
#include <set>
#include <vector>

#include "app/platform/input_replay.h"
#include "app/platform/window.h"

struct GLFWwindow;

namespace headlight {

class WindowInput {
 public:
  // Starts ImGui's GLFW backend on `window` and replaces its callbacks. Sets the window's user pointer.
  explicit WindowInput(GLFWwindow* window);
  ~WindowInput();
  WindowInput(const WindowInput&) = delete;
  WindowInput& operator=(const WindowInput&) = delete;

  // Passes this frame's events to ImGui. Call before ImGui::NewFrame. Returns whether there were any, or the
  // window has another size.
  bool begin_frame();
  // Whether events remain for later frames.
  bool pending() const { return !queue_.empty(); }

  const InputProgress& seen() const { return seen_; }
  std::vector<std::filesystem::path> take_dropped_files();
  // Whether the window has lost its contents since the last call.
  bool take_exposed();

 private:
  static WindowInput& of(GLFWwindow* window);
  void listen();
  void replay(const InputEvent& event);
  void replay_key(const InputEvent& event);
  void replay_button(const InputEvent& event);
  void replay_pointer(const InputEvent& event);
  void settle_frame();

  GLFWwindow* window_;
  std::deque<InputEvent> queue_;
  std::set<int> modifiers_down_, buttons_down_;  // after the events replayed so far
  InputProgress seen_;
  std::vector<std::filesystem::path> dropped_;
  bool exposed_ = false, resized_ = false;
};

}  // namespace headlight
