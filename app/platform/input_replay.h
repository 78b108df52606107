// ImGui reads the mouse and the keyboard once a frame. Before 1.87 a key pressed and released within one
// frame is lost and a click lands where the pointer went after it; later versions still lose the Ctrl of a
// Ctrl+Z that is quicker than a frame. So events are kept in order, and each frame is given no more of them
// than it can tell apart.
#pragma once

#include <deque>
#include <vector>

namespace headlight {

struct InputEvent {
  enum class Kind { Key, Character, Button, Pointer, Wheel, Enter };
  Kind kind = Kind::Key;
  int code = 0;                            // key, character, button; Enter: whether the pointer is now inside
  int scancode = 0, action = 0, mods = 0;  // as GLFW gives them
  double x = 0, y = 0;                     // pointer or wheel
};

// Shift, Ctrl, Alt and Super, by GLFW's numbers.
bool is_modifier(int key);

// Takes the events of one frame off the front of the queue: at least one when there is any, at most one
// change of each key and button, no pointer that moves after a click, no modifier that changes after another
// key, no key after a character, and no character after a key that writes none.
std::vector<InputEvent> take_frame_events(std::deque<InputEvent>& queue);

}  // namespace headlight
