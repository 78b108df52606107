// Gives the keyboard to a text field that has just appeared.
#pragma once

namespace headlight {

struct FocusRequest {
  bool waiting = false;  // until the field is active, which takes one or two frames
  bool asked = false;

  void ask() { *this = {true, false}; }
  // Call directly before the field is drawn.
  void before_item();
  // Call directly after the field is drawn, while it is ImGui's last item.
  void after_item();
};

}  // namespace headlight
