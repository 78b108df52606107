// The colours, sizes and fonts of a figure, used by the window and by every export.
#pragma once

#include <array>
#include <string>

#include "app/figure/color/colormap.h"

namespace headlight {

enum class StyleKind { Dark, Light };

// Lists of families in the syntax of Pango and CSS: the first one installed is used.
struct FigureFonts {
  std::string text = "Inter, DejaVu Sans", number = "DejaVu Sans Mono";
};

struct FigureStyle {
  Color background, text, quiet_text, line, neutral, accent, error;
  // For heads and other series: as distinct as twelve colours can be. Each series also has its name shown.
  std::array<Color, 12> series;
  double label_size_px = 12, title_size_px = 18, number_size_px = 12;
  FigureFonts fonts;

  static FigureStyle dark();
  static FigureStyle light();
  static FigureStyle of(StyleKind kind) { return kind == StyleKind::Dark ? dark() : light(); }
};

}  // namespace headlight
