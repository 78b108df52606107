// Dear ImGui before 1.87 reads the mouse and the keyboard as they are when a frame begins: a key pressed and
// released within one frame is lost, and a click lands where the pointer went after it. So events are kept in
// order and each frame is given no more of them than it can tell apart. Later versions do this themselves.
#pragma once

#include <imgui.h>

#if IMGUI_VERSION_NUM < 18700

#include <deque>
#include <vector>

namespace headlight {

struct InputEvent {
  enum class Kind { Key, Character, Button, Pointer, Wheel };
  Kind kind = Kind::Key;
  int code = 0;  // key, character or button
  int scancode = 0, action = 0, mods = 0;
  double x = 0, y = 0;  // pointer or wheel
};

// Takes the events of one frame off the front of the queue: at least one when there is any, at most one
// change of each key and button, no pointer that moves after a click, no character beside another key.
std::vector<InputEvent> take_frame_events(std::deque<InputEvent>& queue);

}  // namespace headlight

#endif
