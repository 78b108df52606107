// Giving the keyboard to a text field that has just appeared.
#pragma once

namespace headlight {

struct FocusRequest {
  bool waiting = false;  // until the field is active, which takes a frame or two
  bool asked = false;

  void ask() { *this = {true, false}; }
  // Call just before the field.
  void before_item();
  // Call just after it, while it is ImGui's last item.
  void after_item();
};

}  // namespace headlight
