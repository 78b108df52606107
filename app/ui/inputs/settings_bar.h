// The line of settings below the top bar: projection, heads, scale, mask, normalisation, dropout.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/inputs/mask_settings.h"
#include "app/ui/inputs/position_settings.h"
#include "app/ui/kit/widgets.h"

namespace headlight {

struct SettingsBarState {
  MaskSettingsState mask;
  PositionSettingsState position;
  TextFieldState scale, probability, seed;
  float height_px = 0;  // of the last frame: the groups flow onto a second line when there is no room
};

// Draws into the width that is left; the bar is state.height_px high.
void settings_bar(UiContext& ui, SettingsBarState& state);

// The messages that a typed setting is refused with; "" when it is fine.
std::string refuse_probability(const std::string& text);
std::string refuse_seed(const std::string& text);  // empty text: the stream goes on after the weights
std::string refuse_scale(const std::string& text);

}  // namespace headlight
