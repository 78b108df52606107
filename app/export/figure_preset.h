// What a figure is for: its size, resolution, type and ground in one choice.
#pragma once

#include <array>
#include <string_view>

#include "app/export/figure_options.h"

namespace headlight {

struct FigurePreset {
  std::string_view id, name, what;      // for names, on screen, in a tooltip
  std::optional<Length> width, height;  // neither: cells of a comfortable size
  double dpi, font_size_pt;
  std::optional<Ground> ground;  // none: as it was
};

// The first is what a figure is without any.
const std::array<FigurePreset, 6>& figure_preset_table();
const FigurePreset* figure_preset(std::string_view id);  // null for no such preset

void apply_preset(FigureOptions& options, const FigurePreset& preset);
// Whether nothing has been changed since.
bool follows_preset(const FigureOptions& options, const FigurePreset& preset);

}  // namespace headlight
