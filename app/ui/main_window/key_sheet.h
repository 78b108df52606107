// The sheet of all keys, by topic.
#pragma once

#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct KeySheetTopic {
  struct Line {
    std::string keys, what;
  };
  std::string title;
  std::vector<Line> lines;
};
// Built from action_table() and panel_keys().
std::vector<KeySheetTopic> key_sheet_topics();

// Draws the sheet over the window. Returns whether it stays open. Names: "keys.close", "keys.<keys>".
bool key_sheet(UiContext& ui, bool open);

}  // namespace headlight
