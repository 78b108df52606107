// Everything a person can ask the window for, once: what it is called, its key, what it does and what it
// sends. Menus, tooltips, the command palette and the sheet of keys are made from this table, and so are the
// window's keys themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/context/key_chord.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

struct WorkbenchState;

struct ActionEntry {
  std::string_view id;           // "save_as"
  std::string_view topic;        // heading in the sheet of keys
  std::string_view name;         // "Save as…", as in menus
  std::string_view what;         // what it does, in a sentence without a full stop
  std::vector<KeyChord> chords;  // the first is the one that is told; none: it has no key
  void (*run)(UiContext& ui, WorkbenchState& state);
  bool (*possible)(const UiContext& ui) = nullptr;  // none: always
  bool of_picture = false;                          // its keys count only while no grid and no text has them
};

const std::vector<ActionEntry>& action_table();
// Precondition: there is such an action.
const ActionEntry& action_entry(std::string_view id);
bool action_possible(const ActionEntry& entry, const UiContext& ui);

// Of the action's first chord; "" when it has none.
std::string action_keys(const ActionEntry& entry);
// "Save the session (Ctrl+S)".
std::string action_tip(std::string_view id);

// Keys that belong to a place rather than to the window, for the sheet.
struct PlaceKey {
  std::string_view topic, keys, what;
};
const std::vector<PlaceKey>& place_keys();

// Runs the action whose chord was pressed in this frame.
void run_pressed_action(UiContext& ui, WorkbenchState& state);

}  // namespace headlight
