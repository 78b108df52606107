// The colours and sizes a figure is drawn with. The window and every export pass one of these.
#pragma once

#include <array>
#include <string>

#include "app/figure/color/colormap.h"

namespace headlight {

enum class StyleKind { Dark, Light };

// Families as Pango and CSS list them: the first that the machine has.
struct FigureFonts {
  std::string text = "Inter, DejaVu Sans", number = "DejaVu Sans Mono";
};

struct FigureStyle {
  Color background, text, quiet_text, line, neutral, accent, error;
  // Heads and other series: as far apart as twelve colours can be, and always named as well.
  std::array<Color, 12> series;
  double label_size_px = 12, title_size_px = 18, number_size_px = 12;
  FigureFonts fonts;

  static FigureStyle dark();
  static FigureStyle light();
  static FigureStyle of(StyleKind kind) { return kind == StyleKind::Dark ? dark() : light(); }
};

}  // namespace headlight
