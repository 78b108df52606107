// The questions before unsaved changes, or unsaved answers to a lesson, are lost.
#pragma once

#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

enum class ConfirmAnswer { Save, Discard, Cancel };

struct ConfirmState {
  bool open = false;
  std::string title, question;
  std::string save, discard, lost;  // the labels of two buttons, and what the second one does
  bool of_answers = false;
};

// session: its title; before: the action that follows, "quit", "open another session".
void open_confirm_dialog(ConfirmState& state, const std::string& session, const std::string& before);
void open_answers_dialog(ConfirmState& state, const std::string& session, const std::string& before);

// Draws the dialog while it is open and returns the answer once. Enter saves, Escape cancels. Names:
// "dialog.save", "dialog.discard", "dialog.cancel".
std::optional<ConfirmAnswer> confirm_dialog(const UiContext& ui, ConfirmState& state);

}  // namespace headlight
