// The settings of the layer as a line of controls, or those that stand where they act one by one.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/kit/widgets.h"
#include "app/ui/strip/mask_settings.h"
#include "app/ui/strip/position_settings.h"

namespace headlight {

// The parts of the bar, from left to right: each speaks of one place in the layer.
enum class SettingsPart { Projection, Position, Scale, Mask, Dropout, Output };
inline constexpr std::size_t kSettingsParts = 6;
using SettingsPlaces = std::array<float, kSettingsParts>;  // pixels from the bar's left end

struct SettingsBarState {
  MaskSettingsState mask;
  PositionSettingsState position;
  TextFieldState scale, probability, seed;
  SettingsPlaces widths{};  // of the parts in the last frame
  float height_px = 0;      // of the last frame: the groups flow onto a second line when there is no room
};

// Rest: without those that the strip shows where they act.
enum class SettingsShown { All, Rest };

// Draws into the width that is left; the bar is state.height_px high. Each part stands with its middle below
// `at`, as far as the others let it, where there is room for all of them on one line.
void settings_bar(UiContext& ui, SettingsBarState& state, SettingsShown shown = SettingsShown::All,
                  const SettingsPlaces* at = nullptr);

// Where parts of these widths begin that are to stand in the middle of `at`: in their order, `gap` apart,
// inside `width`. Those without a width take no room. None when there is not enough.
std::optional<SettingsPlaces> placed_parts(const SettingsPlaces& widths, const SettingsPlaces& at, float gap,
                                           float width);

// One alone, at the cursor. That of the mask is mask_control.
void scale_control(UiContext& ui, float width);
void normalization_control(UiContext& ui, float width);
void dropout_control(UiContext& ui, SettingsBarState& state, float width);

// The messages that a typed setting is refused with; "" when it is fine.
std::string refuse_probability(const std::string& text);
std::string refuse_seed(const std::string& text);  // empty text: the stream goes on after the weights
std::string refuse_scale(const std::string& text);

}  // namespace headlight
