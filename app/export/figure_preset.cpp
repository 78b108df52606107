#include "app/export/figure_preset.h"

#include <algorithm>

namespace headlight {

const std::array<FigurePreset, 6>& figure_preset_table() {
  constexpr auto mm = [](double value) { return Length{value, LengthUnit::Millimetres}; };
  constexpr auto inches = [](double value) { return Length{value, LengthUnit::Inches}; };
  constexpr auto px = [](double value) { return Length{value, LengthUnit::Pixels}; };
  static constexpr std::array<FigurePreset, 6> kTable = {{
      {"comfortable", "Comfortable", "Cells of a comfortable size, as large a picture as they need",
       std::nullopt, std::nullopt, 192, 9, std::nullopt},
      {"slide", "Slide (16:9)", "13.33 × 7.5 inches at 144 dpi: 1920 × 1080 pixels, 18 pt", inches(40.0 / 3),
       inches(7.5), 144, 18, Ground::White},
      {"one_column", "One column", "89 mm wide at 600 dpi, 7 pt, white: one column of a paper", mm(89),
       std::nullopt, 600, 7, Ground::White},
      {"two_columns", "Two columns", "183 mm wide at 600 dpi, 7 pt, white: both columns of a paper", mm(183),
       std::nullopt, 600, 7, Ground::White},
      {"poster", "Poster", "420 mm wide at 300 dpi, 24 pt, white", mm(420), std::nullopt, 300, 24,
       Ground::White},
      {"readme", "README", "1600 pixels wide, shown as 800 on a screen, 9 pt, white", px(1600), std::nullopt,
       192, 9, Ground::White},
  }};
  return kTable;
}

const FigurePreset* figure_preset(std::string_view id) {
  const auto& table = figure_preset_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [id](const FigurePreset& preset) { return preset.id == id; });
  return found == table.end() ? nullptr : &*found;
}

void apply_preset(FigureOptions& options, const FigurePreset& preset) {
  options.width = preset.width;
  options.height = preset.height;
  options.cell.reset();
  options.dpi = preset.dpi;
  options.font_size_pt = preset.font_size_pt;
  if (preset.ground) options.ground = *preset.ground;
}

bool follows_preset(const FigureOptions& options, const FigurePreset& preset) {
  FigureOptions fresh = options;
  apply_preset(fresh, preset);
  return fresh.width == options.width && fresh.height == options.height && fresh.cell == options.cell &&
         fresh.dpi == options.dpi && fresh.font_size_pt == options.font_size_pt &&
         fresh.ground == options.ground;
}

}  // namespace headlight
