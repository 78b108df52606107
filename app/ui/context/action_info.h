// A user action as menus, tooltips, the command palette and the sheet of keys present it. All actions are
// declared in app/ui/main_window/action_table.cpp; panels look one up through UiContext::find_action.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/context/key_chord.h"

namespace headlight {

struct ActionInfo {
  std::string_view id;           // "save_as"
  std::string_view topic;        // heading in the sheet of keys
  std::string_view name;         // "Save as…", as in menus
  std::string_view what;         // what it does, in a sentence without a full stop
  std::vector<KeyChord> chords;  // menus and tooltips show the first; empty: no key
  bool of_picture = false;       // its keys work only while no grid and no text field has the keyboard
};

// The keys of the action's first chord; "" if it has none.
std::string action_keys(const ActionInfo& info);
// "Ctrl+Shift+Z, Ctrl+Y": the keys of all its chords.
std::string all_action_keys(const ActionInfo& info);
// "Save the session (Ctrl+S)".
std::string action_tip(const ActionInfo& info);

}  // namespace headlight
