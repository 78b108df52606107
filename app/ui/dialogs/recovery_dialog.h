// The dialog for sessions whose process ended without saving: each can be recovered, looked at or discarded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/context/ui_context.h"

namespace headlight {

// The texts of one recoverable session.
struct RecoveryEntry {
  std::string name;     // identifies the session; not shown
  std::string title;    // of the session
  std::string place;    // its file, or that it has none
  std::string when;     // of the last change: "today, 14:32"
  std::string changes;  // what differs from the file
};

struct RecoveryDialogState {
  bool open = false;
  std::vector<RecoveryEntry> entries;
};

struct RecoveryChoice {
  enum class Kind { Recover, Look, Discard };
  Kind kind = Kind::Recover;
  std::string name;
};

// Draws the dialog while it is open and there are entries; returns a choice once. Enter recovers the first,
// Escape is for later. Recover and Look close the dialog, Discard leaves it open. Names: "recovery.item.<n>",
// "recovery.recover.<n>", "recovery.look.<n>", "recovery.discard.<n>" from 0, "recovery.later".
std::optional<RecoveryChoice> recovery_dialog(const UiContext& ui, RecoveryDialogState& state);

}  // namespace headlight
