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
  // Four colours of Okabe and Ito; the others are as far in OKLab from these, from each other and from the
  // accent as is possible without glare.
  style.series = {hex("#56B4E9"), hex("#2BB58A"), hex("#D98BB5"), hex("#E2703A"),
                  hex("#8769E1"), hex("#D2F04B"), hex("#1E87A5"), hex("#FFD2FF"),
                  hex("#878700"), hex("#87F0FF"), hex("#00F0A5"), hex("#96C300")};
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
  style.series = {hex("#0072B2"), hex("#009E73"), hex("#CC79A7"), hex("#D1460A"),
                  hex("#2D0F96"), hex("#960087"), hex("#A50F1E"), hex("#005A00"),
                  hex("#8778FF"), hex("#5A1E00"), hex("#003C4B"), hex("#785A69")};
  return style;
}

}  // namespace headlight
