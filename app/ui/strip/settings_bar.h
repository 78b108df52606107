// The settings of the layer as a line of controls, or those that stand where they act one by one.
#pragma once

#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/kit/widgets.h"
#include "app/ui/strip/mask_settings.h"
#include "app/ui/strip/position_settings.h"

namespace headlight {

struct SettingsBarState {
  MaskSettingsState mask;
  PositionSettingsState position;
  TextFieldState scale, probability, seed;
  float height_px = 0;  // of the last frame: the groups flow onto a second line when there is no room
};

// Rest: without those that the strip shows where they act.
enum class SettingsShown { All, Rest };

// Draws into the width that is left; the bar is state.height_px high.
void settings_bar(UiContext& ui, SettingsBarState& state, SettingsShown shown = SettingsShown::All);

// One alone, at the cursor. That of the mask is mask_control.
void scale_control(UiContext& ui, float width);
void normalization_control(UiContext& ui, float width);
void dropout_control(UiContext& ui, SettingsBarState& state, float width);

// The messages that a typed setting is refused with; "" when it is fine.
std::string refuse_probability(const std::string& text);
std::string refuse_seed(const std::string& text);  // empty text: the stream goes on after the weights
std::string refuse_scale(const std::string& text);

}  // namespace headlight
