#include "app/ui/context/key_chord.h"

#include <stdexcept>
#include <string_view>

namespace headlight {
namespace {

// As keyboards have it. Only the keys that chords are made of.
std::string_view key_name(Key key) {
  switch (key) {
    case Key::E:
      return "E";
    case Key::F:
      return "F";
    case Key::K:
      return "K";
    case Key::L:
      return "L";
    case Key::N:
      return "N";
    case Key::O:
      return "O";
    case Key::P:
      return "P";
    case Key::Q:
      return "Q";
    case Key::S:
      return "S";
    case Key::Y:
      return "Y";
    case Key::Z:
      return "Z";
    case Key::Num0:
      return "0";
    case Key::Num1:
      return "1";
    case Key::Num2:
      return "2";
    case Key::Num3:
      return "3";
    case Key::Num4:
      return "4";
    case Key::Num5:
      return "5";
    case Key::F1:
      return "F1";
    case Key::F5:
      return "F5";
    case Key::F6:
      return "F6";
    case Key::F11:
      return "F11";
    case Key::Plus:
      return "Plus";
    case Key::Minus:
      return "Minus";
    case Key::Up:
      return "Up";
    case Key::Down:
      return "Down";
    case Key::PageUp:
      return "Page Up";
    case Key::PageDown:
      return "Page Down";
    default:
      throw std::logic_error("a chord with a key that has no name");
  }
}

}  // namespace

std::string chord_text(const KeyChord& chord) {
  std::string text = chord.ctrl ? "Ctrl+" : "";
  if (chord.alt) text += "Alt+";
  if (chord.shift) text += "Shift+";
  return text.append(key_name(chord.key));
}

bool chord_pressed(const KeyChord& chord) {
  if (chord.ctrl != ctrl_held() || chord.alt != alt_held()) return false;
  // Many keyboards have the plus above another sign.
  if (chord.key != Key::Plus && chord.shift != shift_held()) return false;
  if (!chord.while_typing && ImGui::GetIO().WantTextInput) return false;
  return key_pressed(chord.key, chord.repeats);
}

}  // namespace headlight
