// What the bar at the top and its menus share.
#pragma once

#include <string>

#include "app/ui/main_window/workbench.h"

namespace headlight {

// One action as a line of the menu that is being drawn. Probed as "menu.<id>".
void menu_entry(UiContext& ui, WorkbenchState& state, const std::string& id);

// "Lessons" with the list of them below. Names: "toolbar.lessons", "menu.lesson.<stem>", "menu.lessons.all".
void lessons_button(UiContext& ui, WorkbenchState& state);

// The popup "view menu". Names: "view.look.dark", "view.text_size", "view.motion", "view.count_from_1",
// "menu.keys", ...
void view_menu(UiContext& ui, WorkbenchState& state);

}  // namespace headlight
