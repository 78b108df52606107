// The settings of the layer as a line of controls, and the single controls that the pipeline places where
// they act.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "app/ui/context/ui_context.h"
#include "app/ui/pipeline/mask_settings.h"
#include "app/ui/pipeline/position_settings.h"
#include "app/ui/pipeline/strip_content.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

// The parts of the bar from left to right, each for one place in the layer.
enum class SettingsPart { Projection, Position, Scale, Mask, Dropout, Output };
inline constexpr std::size_t kSettingsParts = 6;
using SettingsPlaces = std::array<float, kSettingsParts>;  // pixels from the bar's left end

struct SettingsBarState {
  MaskSettingsState mask;
  PositionSettingsState position;
  TextFieldState scale, probability, seed;
  SettingsPlaces widths{};  // widths of the parts in the last frame
  float height_px = 0;      // of the last frame: groups that do not fit flow onto a second line. 0: no groups
};

// Rest: without the settings that the pipeline places where they act.
enum class SettingsShown { All, Rest };

// Draws the settings of `parts` into the remaining width; the bar is state.height_px high. If all fit on one
// line, each is centred below its place in `at`, as far as the others allow.
void settings_bar(UiContext& ui, SettingsBarState& state, SettingsShown shown = SettingsShown::All,
                  const SettingsPlaces* at = nullptr, StripParts parts = kAllParts);

// The settings that the shown text names, and no others.
void named_settings(UiContext& ui, SettingsBarState& state);

// The left ends of parts of these widths, in their order, each centred at its place in `at` as far as
// possible, `gap` apart and inside `width`. Parts of width 0 take no space. nullopt if they do not fit.
std::optional<SettingsPlaces> placed_parts(const SettingsPlaces& widths, const SettingsPlaces& at, float gap,
                                           float width);

// Single controls, drawn at the cursor. The mask's is mask_control.
void scale_control(UiContext& ui, float width);
void normalization_control(UiContext& ui, float width);
void dropout_control(UiContext& ui, SettingsBarState& state, float width);

// The error message for an invalid setting; "" if it is valid.
std::string refuse_probability(const std::string& text);
std::string refuse_seed(
    const std::string& text);  // empty text: the random stream continues after the weights
std::string refuse_scale(const std::string& text);

}  // namespace headlight
