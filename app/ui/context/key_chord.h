// A key with its modifiers: whether it is pressed, and its text.
#pragma once

#include <string>

#include "app/platform/imgui_compat.h"

namespace headlight {

struct KeyChord {
  Key key = Key::F1;
  bool ctrl = false, shift = false;
  bool repeats = false;      // fires repeatedly while it is held
  bool while_typing = true;  // false: a text field with the keyboard handles it itself, as Ctrl+Z
  bool alt = false;
};

// Whether the chord was pressed in this frame.
bool chord_pressed(const KeyChord& chord);

// "Ctrl+Shift+S".
std::string chord_text(const KeyChord& chord);

}  // namespace headlight
