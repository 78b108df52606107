#include "app/ui/context/key_chord.h"

#include <stdexcept>
#include <string_view>
#include <utility>

namespace headlight {
namespace {

// The labels on keyboards, for the keys that occur in chords.
constexpr std::pair<Key, std::string_view> kKeyNames[] = {
    {Key::D, "D"},
    {Key::E, "E"},
    {Key::F, "F"},
    {Key::K, "K"},
    {Key::L, "L"},
    {Key::N, "N"},
    {Key::O, "O"},
    {Key::P, "P"},
    {Key::Q, "Q"},
    {Key::S, "S"},
    {Key::Y, "Y"},
    {Key::Z, "Z"},
    {Key::Num0, "0"},
    {Key::Num1, "1"},
    {Key::Num2, "2"},
    {Key::Num3, "3"},
    {Key::Num4, "4"},
    {Key::Num5, "5"},
    {Key::Num6, "6"},
    {Key::Space, "Space"},
    {Key::F1, "F1"},
    {Key::F5, "F5"},
    {Key::F6, "F6"},
    {Key::F11, "F11"},
    {Key::Plus, "Plus"},
    {Key::Minus, "Minus"},
    {Key::Up, "Up"},
    {Key::Down, "Down"},
    {Key::PageUp, "Page Up"},
    {Key::PageDown, "Page Down"},
};

std::string_view key_name(Key key) {
  for (const auto& [named, name] : kKeyNames)
    if (named == key) return name;
  throw std::logic_error("a chord with a key that has no name");
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
  // On many keyboards the plus needs Shift.
  if (chord.key != Key::Plus && chord.shift != shift_held()) return false;
  if (!chord.while_typing && ImGui::GetIO().WantTextInput) return false;
  return key_pressed(chord.key, chord.repeats);
}

}  // namespace headlight
