#include "app/figure/figure_style.h"

namespace headlight {

FigureStyle FigureStyle::dark() {
  FigureStyle style;
  style.background = hex("#1B1E24");
  style.text = hex("#E6E8EB");
  style.quiet_text = hex("#9AA3AF");
  style.line = hex("#2E333D");
  style.neutral = hex("#1B1E24");
  style.accent = hex("#F2B84B");
  style.error = hex("#F0716B");
  return style;
}

FigureStyle FigureStyle::light() {
  FigureStyle style;
  style.background = hex("#FFFFFF");
  style.text = hex("#1C2127");
  style.quiet_text = hex("#5B6470");
  style.line = hex("#D9DDE3");
  style.neutral = hex("#FFFFFF");
  style.accent = hex("#B87A00");
  style.error = hex("#B3261E");
  return style;
}

}  // namespace headlight
