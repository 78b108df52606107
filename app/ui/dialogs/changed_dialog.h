// The question before replacing a file that another program has written since it was opened.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

enum class ChangedAnswer { Save, SaveAs, Cancel };

struct ChangedState {
  bool open = false;
  std::string file;  // its name
};

void open_changed_dialog(ChangedState& state, const std::string& file);

// Draws the dialog while it is open and returns the answer once. Enter saves under another name, which loses
// nothing; Escape cancels. Names: "dialog.overwrite", "dialog.save_as", "dialog.cancel", "dialog.question".
std::optional<ChangedAnswer> changed_dialog(const UiContext& ui, ChangedState& state);

}  // namespace headlight
