#include "app/figure/color/figure_style.h"

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
  // Okabe and Ito's, with a light grey for their black and a brighter blue.
  style.series = {hex("#56B4E9"), hex("#2BB58A"), hex("#D98BB5"), hex("#E2703A"),
                  hex("#F0E442"), hex("#4C93D9"), hex("#E69F00"), hex("#C3C8CF")};
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
  // Okabe and Ito's, with a darker yellow, which would fade on white.
  style.series = {hex("#0072B2"), hex("#009E73"), hex("#CC79A7"), hex("#D55E00"),
                  hex("#B8A500"), hex("#56B4E9"), hex("#E69F00"), hex("#3A3F47")};
  return style;
}

}  // namespace headlight
