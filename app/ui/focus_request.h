// Giving the keyboard to a text field that has just appeared.
#pragma once

namespace headlight {

// ImGui takes a frame or two to pass the keyboard on, and Dear ImGui 1.90 forgets the request when another
// window had the focus: it is repeated until the field is active, a few times at most.
struct FocusRequest {
  bool waiting = false;
  int tries_left = 0;
  int asked_frame = -1;

  void ask();
  // Call just before the field.
  void before_item();
  // Call just after it, while it is ImGui's last item.
  void after_item();
};

}  // namespace headlight
