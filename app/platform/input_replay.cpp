#include "app/platform/input_replay.h"

#include <set>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace headlight {
namespace {

// Whether the key writes characters, which arrive as separate events. GLFW gives these keys the first
// numbers, and another range to the keypad.
bool writes(int key) {
  const bool keypad = key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL && key != GLFW_KEY_KP_ENTER;
  return key <= GLFW_KEY_WORLD_2 || keypad;
}

// The events of one frame so far, which determine whether it takes another one.
struct FrameInput {
  std::set<int> keys, buttons;
  bool plain_key = false;    // a key that is no modifier
  bool command_key = false;  // a key that writes nothing: Backspace, Enter, an arrow
  bool character = false;
  bool moved = false;
  bool wheel = false;

  bool takes(const InputEvent& event) const {
    switch (event.kind) {
      case InputEvent::Kind::Pointer:
      case InputEvent::Kind::Enter:
        return buttons.empty() && !wheel && keys.empty() && !character;
      case InputEvent::Kind::Button:
        return buttons.count(event.code) == 0 && !wheel && !plain_key && !character;
      case InputEvent::Kind::Wheel:
        return buttons.empty() && !moved && !wheel;
      case InputEvent::Kind::Key:
        return keys.count(event.code) == 0 && buttons.empty() && !character &&
               !(is_modifier(event.code) && plain_key);
      case InputEvent::Kind::Character:
        return buttons.empty() && !command_key;
    }
    return false;
  }

  void add(const InputEvent& event) {
    switch (event.kind) {
      case InputEvent::Kind::Pointer:
      case InputEvent::Kind::Enter:
        moved = true;
        break;
      case InputEvent::Kind::Button:
        buttons.insert(event.code);
        break;
      case InputEvent::Kind::Wheel:
        wheel = true;
        break;
      case InputEvent::Kind::Key:
        keys.insert(event.code);
        plain_key = plain_key || !is_modifier(event.code);
        command_key = command_key || (!writes(event.code) && !is_modifier(event.code));
        break;
      case InputEvent::Kind::Character:
        character = true;
        break;
    }
  }
};

}  // namespace

bool is_modifier(int key) {
  return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
}

std::vector<InputEvent> take_frame_events(std::deque<InputEvent>& queue) {
  FrameInput frame;
  std::vector<InputEvent> taken;
  while (!queue.empty() && frame.takes(queue.front())) {
    frame.add(queue.front());
    taken.push_back(queue.front());
    queue.pop_front();
  }
  return taken;
}

}  // namespace headlight
