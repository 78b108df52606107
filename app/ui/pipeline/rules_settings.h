// The settings of a mask by rules: causal with a cache offset, a window, padding.
#pragma once

#include <string>

#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

struct RulesSettingsState {
  TextFieldState left, right, offset, keys;
};

void rules_fields(UiContext& ui, RulesSettingsState& state, Flow& flow);

// The error message for invalid rules; "" if they are valid. Lists are one number, or one for each sequence:
// "5" or "5, 2, 0".
std::string refuse_reach(const std::string& text);   // empty text: no limit on this side
std::string refuse_counts(const std::string& text);  // empty text: none

}  // namespace headlight
