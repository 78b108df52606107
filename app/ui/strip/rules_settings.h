// The settings of a mask by rules: causal with a cache, a window, padding.
#pragma once

#include <string>

#include "app/ui/kit/flow_layout.h"
#include "app/ui/kit/widgets.h"

namespace headlight {

struct RulesSettingsState {
  TextFieldState left, right, offset, keys;
};

void rules_fields(UiContext& ui, RulesSettingsState& state, Flow& flow);

// The messages that typed rules are refused with; "" when they are fine. Lists are one number, or one for
// each sequence: "5" or "5, 2, 0".
std::string refuse_reach(const std::string& text);   // empty text: the side is open
std::string refuse_counts(const std::string& text);  // empty text: none

}  // namespace headlight
