// A queue of input events that is replayed frame by frame. ImGui reads the mouse and the keyboard once a
// frame: before 1.87 a key pressed and released within one frame is lost and a click lands where the pointer
// went after it; later versions still lose the Ctrl of a Ctrl+Z that is quicker than a frame. So each frame
// gets, in order, only as many events as it can distinguish.
#pragma once

#include <deque>
#include <vector>

namespace headlight {

struct InputEvent {
  enum class Kind { Key, Character, Button, Pointer, Wheel, Enter };
  Kind kind = Kind::Key;
  int code = 0;                            // key, character, button; Enter: whether the pointer is now inside
  int scancode = 0, action = 0, mods = 0;  // as GLFW reports them
  double x = 0, y = 0;                     // pointer or wheel
};

// Shift, Ctrl, Alt and Super, by GLFW's numbers.
bool is_modifier(int key);

// Removes the events of one frame from the front of the queue: at least one if there is any, at most one
// change of each key and button, no pointer movement after a click, key, character or wheel, no modifier
// change after another key, no key after a character, and no character after a key that writes none.
std::vector<InputEvent> take_frame_events(std::deque<InputEvent>& queue);

}  // namespace headlight
