// The table of all user actions: name, description, keys, what they run and when they are possible. It is
// above all panels, because actions call functions of all of them. Menus, the command palette, the window's
// keys and the sheet of keys are made from it.
#pragma once

#include <string_view>
#include <vector>

#include "app/ui/context/action_info.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

struct WorkbenchState;

struct ActionEntry : ActionInfo {
  void (*run)(UiContext& ui, WorkbenchState& state) = nullptr;
  bool (*possible)(const UiContext& ui) = nullptr;  // null: always
};

const std::vector<ActionEntry>& action_table();
// Precondition: the table has this action.
const ActionEntry& action_entry(std::string_view id);
// What UiContext::find_action returns for the action. Precondition: the table has it.
const ActionInfo& action_info(std::string_view id);
bool action_possible(const ActionEntry& entry, const UiContext& ui);

// Keys of one part of the window, listed in the key sheet.
struct PanelKey {
  std::string_view topic, keys, what;
};
const std::vector<PanelKey>& panel_keys();

// Whether it may run while the start screen is shown: it changes nothing behind it.
bool works_on_start(const ActionEntry& entry);
// Runs the action whose chord was pressed in this frame.
void run_pressed_action(UiContext& ui, WorkbenchState& state);

}  // namespace headlight
