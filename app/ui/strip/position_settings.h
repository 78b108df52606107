// The settings of real layers in the line below the top bar: heads that share keys and values, positions and
// what holds the scores down.
#pragma once

#include <string>

#include "app/ui/kit/flow_layout.h"
#include "app/ui/kit/widgets.h"

namespace headlight {

struct PositionSettingsState {
  TextFieldState theta, dims, start, key_start, softcap;
};

// How many heads of keys and values there are: only where they are projected.
void kv_heads_group(UiContext& ui, Flow& flow);
void position_group(UiContext& ui, PositionSettingsState& state, Flow& flow);
void softcap_group(UiContext& ui, PositionSettingsState& state, Flow& flow);

// The messages that typed settings are refused with; "" when they are fine.
std::string refuse_rotated(const std::string& text);  // empty text: all numbers of a head
std::string refuse_start(const std::string& text);
std::string refuse_softcap(const std::string& text);  // empty text: none

}  // namespace headlight
