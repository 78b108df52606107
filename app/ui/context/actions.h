// Everything a person can ask the window for, once: what it is called, its keys and what it does. Menus,
// tooltips, the command palette and the sheet of keys are made from it. What an action runs stands above all
// panels, in app/ui/frame/action_table.h.
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
  std::vector<KeyChord> chords;  // the first is the one that is told; none: it has no key
  bool of_picture = false;       // its keys count only while no grid and no text has them
};

const std::vector<ActionInfo>& action_infos();
// Precondition: there is such an action.
const ActionInfo& action_info(std::string_view id);

// The keys of the action's first chord; "" when it has none.
std::string action_keys(const ActionInfo& info);
// "Ctrl+Shift+Z, Ctrl+Y": those of all its chords.
std::string all_action_keys(const ActionInfo& info);
// "Save the session (Ctrl+S)".
std::string action_tip(std::string_view id);

}  // namespace headlight
