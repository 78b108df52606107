// The question before unsaved changes are lost.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

enum class ConfirmAnswer { Save, Discard, Cancel };

struct ConfirmState {
  bool open = false;
  std::string session;  // its title
  std::string before;   // the action that follows: "quit", "open another session"
};

void open_confirm_dialog(ConfirmState& state, const std::string& session, const std::string& before);

// Draws the dialog while it is open and returns the answer once. Enter saves, Escape cancels. Names:
// "dialog.save", "dialog.discard", "dialog.cancel".
std::optional<ConfirmAnswer> confirm_dialog(const UiContext& ui, ConfirmState& state);

}  // namespace headlight
