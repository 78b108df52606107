// The question after a session could not be opened because its model is not where the session says.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"

namespace headlight {

struct MissingModelState {
  bool open = false;
  std::string model, why;  // the model's name; the message of the failure
};

void open_missing_model_dialog(MissingModelState& state, const std::string& model, const std::string& why);

// Draws the dialog while it is open. Returns true once, when its folder is to be chosen. Enter chooses,
// Escape cancels. Names: "missing.why", "missing.choose", "missing.cancel".
bool missing_model_dialog(const UiContext& ui, MissingModelState& state);

}  // namespace headlight
