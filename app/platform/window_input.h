// A window's input on its way into ImGui: kept in order, replayed frame by frame, counted.
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
  // Starts ImGui's GLFW backend on `window` and puts itself before it. Takes the window's user pointer.
  explicit WindowInput(GLFWwindow* window);
  ~WindowInput();
  WindowInput(const WindowInput&) = delete;
  WindowInput& operator=(const WindowInput&) = delete;

  // Before ImGui::NewFrame: hands this frame's events on.
  void begin_frame();
  // Events are waiting for a frame of their own.
  bool pending() const { return !queue_.empty(); }

  const InputSeen& seen() const { return seen_; }
  std::vector<std::filesystem::path> take_dropped_files();
  // Whether the window has lost what it showed, since the last call.
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
  std::set<int> modifiers_down_, buttons_down_;  // as far as the frames have come
  InputSeen seen_;
  std::vector<std::filesystem::path> dropped_;
  bool exposed_ = false;
};

}  // namespace headlight
