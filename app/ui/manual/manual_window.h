// The manual in the window: the list of its pages at the left, the chosen one at the right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/manual_text/manual_page.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/manual/manual_plan.h"

namespace headlight {

// A picture of the manual as it is uploaded; without pixels it could not be read.
struct ManualPicture {
  int width = 0, height = 0;
  std::vector<Color> pixels;
};

struct ManualWindowState {
  std::string wanted = "index";      // the page to show
  std::vector<std::string> earlier;  // pages to go back to, the last one first in turn
  std::vector<std::string> pages, titles;
  std::optional<ManualPage> page;                 // as read; it is read again when another one is wanted
  std::string failure;                            // why there is none
  std::map<std::string, ManualPicture> pictures;  // by file, of this page
  ManualPlan plan;
  float planned_width = 0, planned_scale = 0;  // that `plan` is for
};

// Opens the page when the window is shown next, or now.
void show_manual_page(ManualWindowState& state, const std::string& page);

// Draws the manual over the window. False when it was closed. Links to pages are followed, and copied
// otherwise. Names: "manual.page.<name>", "manual.back", "manual.close", "manual.title",
// "manual.link.<name>", "manual.failure".
bool manual_window(UiContext& ui, ManualWindowState& state, bool open);

}  // namespace headlight
