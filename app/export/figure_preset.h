// Presets of figure options by purpose: size, resolution, font size and ground in one choice.
#pragma once

#include <array>
#include <string_view>

#include "app/export/figure_options.h"

namespace headlight {

struct FigurePreset {
  std::string_view id, name, what;      // identifier, name on screen, tooltip
  std::optional<Length> width, height;  // neither: cells of the default size
  double dpi, font_size_pt;
  std::optional<Ground> ground;  // none: not changed
};

// The first has the defaults of FigureOptions.
const std::array<FigurePreset, 6>& figure_preset_table();
const FigurePreset* figure_preset(std::string_view id);  // null for no such preset

void apply_preset(FigureOptions& options, const FigurePreset& preset);
// Whether applying the preset would change nothing.
bool follows_preset(const FigureOptions& options, const FigurePreset& preset);

}  // namespace headlight
