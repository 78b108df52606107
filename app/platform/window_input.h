// A window's input on its way into ImGui: kept in order, counted, and replayed frame by frame where ImGui
// does not do that itself.
#pragma once

#include <deque>
#include <filesystem>
#include <vector>

#include "app/platform/input_replay.h"
#include "app/platform/window.h"

struct GLFWwindow;

namespace headlight {

class WindowInput {
 public:
  // Starts ImGui's GLFW backend on `window` and puts itself between the two. Takes the window's user pointer.
  explicit WindowInput(GLFWwindow* window);
  ~WindowInput();
  WindowInput(const WindowInput&) = delete;
  WindowInput& operator=(const WindowInput&) = delete;

  // Before ImGui::NewFrame: hands this frame's events on.
  void begin_frame();
  // Events are waiting for a frame of their own.
  bool pending() const;

  const InputSeen& seen() const { return seen_; }
  std::vector<std::filesystem::path> take_dropped_files();

 private:
  static WindowInput& of(GLFWwindow* window);
  static void on_drop(GLFWwindow* window, int count, const char** paths);
  static void on_key(GLFWwindow* window, int key, int scancode, int action, int mods);
  static void on_button(GLFWwindow* window, int button, int action, int mods);
  static void on_pointer(GLFWwindow* window, double x, double y);
  void count_key(int key, int action);
  void count_button(int action);

  GLFWwindow* window_;
  InputSeen seen_;
  std::vector<std::filesystem::path> dropped_;

#if IMGUI_VERSION_NUM < 18700
  static void on_character(GLFWwindow* window, unsigned int character);
  static void on_wheel(GLFWwindow* window, double x, double y);
  void replay(const InputEvent& event);

  std::deque<InputEvent> queue_;
  bool buttons_down_[ImGuiMouseButton_COUNT] = {};
#endif
};

}  // namespace headlight
