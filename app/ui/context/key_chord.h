// Keys that are pressed together.
#pragma once

#include <string>

#include "app/platform/imgui_compat.h"

namespace headlight {

struct KeyChord {
  Key key = Key::F1;
  bool ctrl = false, shift = false;
  bool repeats = false;      // again and again while it is held
  bool while_typing = true;  // false: inside a text field the field has it, as Ctrl+Z
  bool alt = false;
};

// The keys went down in this frame.
bool chord_pressed(const KeyChord& chord);

// "Ctrl+Shift+S".
std::string chord_text(const KeyChord& chord);

}  // namespace headlight
