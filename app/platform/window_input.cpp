#include "app/platform/window_input.h"

#include <backends/imgui_impl_glfw.h>

#include <utility>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#if IMGUI_VERSION_NUM >= 18700
#include <imgui_internal.h>
#endif

namespace headlight {

WindowInput& WindowInput::of(GLFWwindow* window) {
  return *static_cast<WindowInput*>(glfwGetWindowUserPointer(window));
}

void WindowInput::on_drop(GLFWwindow* window, int count, const char** paths) {
  WindowInput& self = of(window);
  self.dropped_.insert(self.dropped_.end(), paths, paths + count);
}

std::vector<std::filesystem::path> WindowInput::take_dropped_files() {
  return std::exchange(dropped_, {});
}

void WindowInput::count_key(int key, int action) {
  const bool modifier = key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
  if (action == GLFW_RELEASE && !modifier) ++seen_.key_releases;
}

void WindowInput::count_button(int action) {
  if (action == GLFW_RELEASE) ++seen_.button_releases;
}

WindowInput::~WindowInput() {
  ImGui_ImplGlfw_Shutdown();
}

#if IMGUI_VERSION_NUM < 18700

WindowInput::WindowInput(GLFWwindow* window) : window_(window) {
  glfwSetWindowUserPointer(window, this);
  glfwSetDropCallback(window, on_drop);
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  // In place of the backend's own: it gets the events from replay().
  glfwSetKeyCallback(window, on_key);
  glfwSetCharCallback(window, on_character);
  glfwSetMouseButtonCallback(window, on_button);
  glfwSetCursorPosCallback(window, on_pointer);
  glfwSetScrollCallback(window, on_wheel);
}

void WindowInput::on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  of(window).queue_.push_back({InputEvent::Kind::Key, key, scancode, action, mods, 0, 0});
}
void WindowInput::on_character(GLFWwindow* window, unsigned int character) {
  of(window).queue_.push_back({InputEvent::Kind::Character, static_cast<int>(character), 0, 0, 0, 0, 0});
}
void WindowInput::on_button(GLFWwindow* window, int button, int action, int mods) {
  of(window).queue_.push_back({InputEvent::Kind::Button, button, 0, action, mods, 0, 0});
}
void WindowInput::on_pointer(GLFWwindow* window, double x, double y) {
  of(window).queue_.push_back({InputEvent::Kind::Pointer, 0, 0, 0, 0, x, y});
}
void WindowInput::on_wheel(GLFWwindow* window, double x, double y) {
  of(window).queue_.push_back({InputEvent::Kind::Wheel, 0, 0, 0, 0, x, y});
}

void WindowInput::replay(const InputEvent& event) {
  switch (event.kind) {
    case InputEvent::Kind::Key:
      count_key(event.code, event.action);
      ImGui_ImplGlfw_KeyCallback(window_, event.code, event.scancode, event.action, event.mods);
      break;
    case InputEvent::Kind::Character:
      ImGui_ImplGlfw_CharCallback(window_, static_cast<unsigned int>(event.code));
      break;
    case InputEvent::Kind::Button:
      count_button(event.action);
      if (event.code >= 0 && event.code < ImGuiMouseButton_COUNT) {
        buttons_down_[event.code] = event.action == GLFW_PRESS;
      }
      break;
    case InputEvent::Kind::Pointer:
      seen_.pointer_x = event.x;
      seen_.pointer_y = event.y;
      break;
    case InputEvent::Kind::Wheel:
      ImGui_ImplGlfw_ScrollCallback(window_, event.x, event.y);
      break;
  }
}

void WindowInput::begin_frame() {
  for (const InputEvent& event : take_frame_events(queue_))
    replay(event);
  ImGui_ImplGlfw_NewFrame();
  // The backend has looked at the mouse as it is now; this frame wants it as it was at the event.
  ImGuiIO& io = ImGui::GetIO();
  for (int button = 0; button < ImGuiMouseButton_COUNT; ++button)
    io.MouseDown[button] = buttons_down_[button];
  const bool pointer_known = seen_.pointer_x >= 0 || seen_.pointer_y >= 0;
  if (ImGui::IsMousePosValid(&io.MousePos) && pointer_known) {
    io.MousePos = {static_cast<float>(seen_.pointer_x), static_cast<float>(seen_.pointer_y)};
  }
}

bool WindowInput::pending() const {
  return !queue_.empty();
}

#else

WindowInput::WindowInput(GLFWwindow* window) : window_(window) {
  glfwSetWindowUserPointer(window, this);
  glfwSetDropCallback(window, on_drop);
  // Set before the backend's own, which call these as well.
  glfwSetKeyCallback(window, on_key);
  glfwSetMouseButtonCallback(window, on_button);
  glfwSetCursorPosCallback(window, on_pointer);
  ImGui_ImplGlfw_InitForOpenGL(window, true);
}

void WindowInput::on_key(GLFWwindow* window, int key, int, int action, int) {
  of(window).count_key(key, action);
}
void WindowInput::on_button(GLFWwindow* window, int, int action, int) {
  of(window).count_button(action);
}
void WindowInput::on_pointer(GLFWwindow* window, double x, double y) {
  of(window).seen_.pointer_x = x;
  of(window).seen_.pointer_y = y;
}

void WindowInput::begin_frame() {
  ImGui_ImplGlfw_NewFrame();
}

bool WindowInput::pending() const {
  return ImGui::GetCurrentContext()->InputEventsQueue.Size > 0;
}

#endif

}  // namespace headlight
