#include "app/platform/window_input.h"

#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <utility>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "app/platform/text_glyphs.h"

namespace headlight {

WindowInput::WindowInput(GLFWwindow* window) : window_(window) {
  glfwSetWindowUserPointer(window, this);
  ImGui_ImplGlfw_InitForOpenGL(window, true);
  listen();
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().ConfigInputTrickleEventQueue = false;  // take_frame_events limits a frame's events
#endif
}

WindowInput::~WindowInput() {
  ImGui_ImplGlfw_Shutdown();
}

WindowInput& WindowInput::of(GLFWwindow* window) {
  return *static_cast<WindowInput*>(glfwGetWindowUserPointer(window));
}

// Installs callbacks in place of the backend's, which replay() calls later.
void WindowInput::listen() {
  using Kind = InputEvent::Kind;
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int scancode, int action, int mods) {
    of(window).queue_.push_back({Kind::Key, key, scancode, action, mods, 0, 0});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned int character) {
    of(window).queue_.push_back({Kind::Character, static_cast<int>(character), 0, 0, 0, 0, 0});
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int mods) {
    of(window).queue_.push_back({Kind::Button, button, 0, action, mods, 0, 0});
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    of(window).queue_.push_back({Kind::Pointer, 0, 0, 0, 0, x, y});
  });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* window, int entered) {
    of(window).queue_.push_back({Kind::Enter, entered, 0, 0, 0, 0, 0});
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
    of(window).queue_.push_back({Kind::Wheel, 0, 0, 0, 0, x, y});
  });
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    of(window).dropped_.insert(of(window).dropped_.end(), paths, paths + count);
  });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* window) { of(window).exposed_ = true; });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* window, int, int) { of(window).resized_ = true; });
}

std::vector<std::filesystem::path> WindowInput::take_dropped_files() {
  return std::exchange(dropped_, {});
}

bool WindowInput::take_exposed() {
  return std::exchange(exposed_, false);
}

bool WindowInput::begin_frame() {
  const std::vector<InputEvent> events = take_frame_events(queue_);
  for (const InputEvent& event : events)
    replay(event);
  ImGui_ImplGlfw_NewFrame();
  settle_frame();
  return std::exchange(resized_, false) || !events.empty();
}

void WindowInput::replay(const InputEvent& event) {
  switch (event.kind) {
    case InputEvent::Kind::Key:
      replay_key(event);
      break;
    case InputEvent::Kind::Character:
      ImGui_ImplGlfw_CharCallback(window_, field_character(static_cast<unsigned int>(event.code)));
      break;
    case InputEvent::Kind::Button:
      replay_button(event);
      break;
    case InputEvent::Kind::Pointer:
      replay_pointer(event);
      break;
    case InputEvent::Kind::Wheel:
      ImGui_ImplGlfw_ScrollCallback(window_, event.x, event.y);
      break;
    case InputEvent::Kind::Enter:
      ImGui_ImplGlfw_CursorEnterCallback(window_, event.code);
      break;
  }
}

void WindowInput::replay_key(const InputEvent& event) {
  if (event.action == GLFW_RELEASE) {
    modifiers_down_.erase(event.code);
    if (event.code == GLFW_KEY_PAUSE) ++seen_.marks;
  } else if (is_modifier(event.code)) {
    modifiers_down_.insert(event.code);
  }
  ImGui_ImplGlfw_KeyCallback(window_, event.code, event.scancode, event.action, event.mods);
}

void WindowInput::replay_button(const InputEvent& event) {
  if (event.action == GLFW_PRESS) {
    buttons_down_.insert(event.code);
  } else {
    buttons_down_.erase(event.code);
  }
#if IMGUI_VERSION_NUM >= 18700
  ImGui_ImplGlfw_MouseButtonCallback(window_, event.code, event.action, event.mods);
#endif
}

void WindowInput::replay_pointer(const InputEvent& event) {
  seen_.pointer_x = event.x;
  seen_.pointer_y = event.y;
#if IMGUI_VERSION_NUM >= 18700
  ImGui_ImplGlfw_CursorPosCallback(window_, event.x, event.y);
#endif
}

// The backend has read the mouse (before 1.87) or the modifiers (since) as they are now; this frame requires
// them as they were at its events.
void WindowInput::settle_frame() {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  const auto down = [this](int left, int right) {
    return modifiers_down_.count(left) > 0 || modifiers_down_.count(right) > 0;
  };
#if IMGUI_VERSION_NUM >= 18900
  io.AddKeyEvent(ImGuiMod_Ctrl, down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL));
  io.AddKeyEvent(ImGuiMod_Shift, down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT));
  io.AddKeyEvent(ImGuiMod_Alt, down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT));
  io.AddKeyEvent(ImGuiMod_Super, down(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER));
#else
  io.AddKeyEvent(ImGuiKey_ModCtrl, down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL));
  io.AddKeyEvent(ImGuiKey_ModShift, down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT));
  io.AddKeyEvent(ImGuiKey_ModAlt, down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT));
  io.AddKeyEvent(ImGuiKey_ModSuper, down(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER));
#endif
#else
  for (int button = 0; button < ImGuiMouseButton_COUNT; ++button) {
    io.MouseDown[button] = buttons_down_.count(button) > 0;
  }
  const bool pointer_known = seen_.pointer_x >= 0 || seen_.pointer_y >= 0;
  if (ImGui::IsMousePosValid(&io.MousePos) && pointer_known) {
    io.MousePos = {static_cast<float>(seen_.pointer_x), static_cast<float>(seen_.pointer_y)};
  }
#endif
}

}  // namespace headlight
