// Controls in the line of settings: the number of key-value heads, the position encoding, and the soft cap of
// the scores.
#pragma once

#include <string>

#include "app/ui/widgets/flow_layout.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

struct PositionSettingsState {
  TextFieldState theta, dims, start, key_start, softcap;
};

// The number of key-value heads; shown only if keys and values are projected.
void kv_heads_group(UiContext& ui, Flow& flow);
void position_group(UiContext& ui, PositionSettingsState& state, Flow& flow);
void softcap_group(UiContext& ui, PositionSettingsState& state, Flow& flow);

// The error message for an invalid setting; "" if it is valid.
std::string refuse_rotated(const std::string& text);  // empty text: all dimensions of a head
std::string refuse_start(const std::string& text);
std::string refuse_softcap(const std::string& text);  // empty text: no cap

}  // namespace headlight
