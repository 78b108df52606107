// Shared by the top bar and its menus.
#pragma once

#include <string>

#include "app/ui/main_window/workbench.h"

namespace headlight {

// One action as a line of the open menu. Probed as "menu.<id>".
void menu_entry(UiContext& ui, WorkbenchState& state, const std::string& id);

// The bar of the start screen. Names: "start.menu", "toolbar.palette", "toolbar.share".
void start_bar(UiContext& ui, WorkbenchState& state);

// The popup "view menu". Names: "view.look.dark", "view.text_size", "view.motion", "view.count_from_1",
// "menu.keys", ...
void view_menu(UiContext& ui, WorkbenchState& state);

}  // namespace headlight
