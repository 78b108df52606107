// The menu "…" of a page about a whole model: what of it is copied and saved.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/ui/model/page_command.h"

namespace headlight {

// What a page offers; what is null is not offered. Names: "NAME.more" is the button, its entries are
// "NAME.copy.table", "NAME.copy.command", "NAME.copy.python", "NAME.add_to_report", "NAME.save.<format>".
struct PageExports {
  std::string name;
  std::function<std::string()> table = {};  // separated by tabs
  std::function<PageCommand()> command = {};
  // The answer that is saved in a format, or what saves the page itself as a figure.
  std::function<std::shared_ptr<const AnalysisRun>()> answer = {};
  std::function<void(FileFormat)> save_figure = {};
};

// At the cursor, more_menu_width() wide. own: entries in front of these; called while the menu is open.
void page_menu(UiContext& ui, const PageExports& exports, const std::function<void()>& own = {});

}  // namespace headlight
