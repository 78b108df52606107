// The manual in the window: the list of its pages on the left, the chosen one on the right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/manual_page.h"
#include "app/ui/context/ui_context.h"
#include "app/ui/manual/manual_plan.h"

namespace headlight {

// The pixels of a picture of the manual; empty if it could not be read.
struct ManualPicture {
  int width = 0, height = 0;
  std::vector<Color> pixels;
};

struct ManualWindowState {
  std::string wanted = "index";      // the page to show
  std::vector<std::string> earlier;  // pages to go back to, the newest one last
  std::vector<std::string> pages, titles;
  std::optional<ManualPage> page;                 // the page that was read for `wanted`
  std::string failure;                            // why there is no page
  std::map<std::string, ManualPicture> pictures;  // by file, of this page
  ManualPlan plan;
  float planned_width = 0, planned_scale = 0;  // the width and scale of `plan`
};

// Shows the page, at once or when the window is opened next.
void show_manual_page(ManualWindowState& state, const std::string& page);

// Reads the names and titles of the pages, once. Without a manual there are none.
void read_manual_list(ManualWindowState& state);

// Draws the manual over the window; returns false when it is closed. A click on a link opens its page, or
// copies an address to the clipboard. Probe names: "manual.page.<name>", "manual.back", "manual.close",
// "manual.title", "manual.link.<name>", "manual.picture.<file>", "manual.failure".
bool manual_window(UiContext& ui, ManualWindowState& state, bool open);

}  // namespace headlight
