#include "app/figure/color/colormap.h"

#include <algorithm>
#include <cmath>

#include "app/figure/color/figure_style.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Approximate perceptual distance: Euclidean, in the cube roots of each channel's luminance.
double step_size(Color a, Color b) {
  const auto root = [](std::uint8_t channel) {
    return std::cbrt(luminance({channel, channel, channel, 255}));
  };
  return std::hypot(root(a.r) - root(b.r), root(a.g) - root(b.g), root(a.b) - root(b.b));
}

enum class Eye { Usual, NoRed, NoGreen };

// A colour as seen without one kind of cones, computed in linear light: Viénot, Brettel and Mollon, "Digital
// video colourmaps for checking the legibility of displays by dichromats", 1999.
Color seen_by(Eye eye, Color color) {
  if (eye == Eye::Usual) return color;
  const auto linear = [](std::uint8_t c) { return std::pow(c / 255.0, 2.2); };
  const double r = linear(color.r), g = linear(color.g), b = linear(color.b);
  const double red = eye == Eye::NoRed ? 0.11238 * r + 0.88762 * g : 0.29275 * r + 0.70725 * g;
  const double blue = eye == Eye::NoRed ? 0.00401 * r - 0.00401 * g + b : -0.02234 * r + 0.02234 * g + b;
  const auto byte = [](double x) {
    return static_cast<std::uint8_t>(std::lround(255 * std::pow(std::clamp(x, 0.0, 1.0), 1 / 2.2)));
  };
  return {byte(red), byte(red), byte(blue), 255};
}

double lightness(Color color) {
  return std::cbrt(luminance(color));
}

double apart(Color a, Color b) {
  return std::hypot(double{1} * a.r - b.r, double{1} * a.g - b.g, double{1} * a.b - b.b);
}

}  // namespace

TEST_CASE("viridis has its published colours") {
  const Colormap& map = Colormap::viridis();
  CHECK(map.at(0) == hex("#440154"));
  CHECK(map.at(64 / 255.0) == hex("#3b528b"));
  CHECK(map.at(128 / 255.0) == hex("#21918c"));
  CHECK(map.at(192 / 255.0) == hex("#5ec962"));
  CHECK(map.at(1) == hex("#fde725"));
}

TEST_CASE("viridis grows lighter all the way") {
  const double rounding = 0.001;  // of the colours to 8 bits
  for (int i = 1; i < 256; ++i)
    CHECK(luminance(Colormap::viridis().at(i / 255.0)) >
          luminance(Colormap::viridis().at((i - 1) / 255.0)) - rounding);
}

TEST_CASE("cividis and magma have their published colours") {
  const Colormap cividis = Colormap::of(ColormapKind::Cividis, hex("#000000"));
  CHECK(cividis.at(0) == hex("#00224e"));
  CHECK(cividis.at(1) == hex("#fee838"));
  const Colormap magma = Colormap::of(ColormapKind::Magma, hex("#000000"));
  CHECK(magma.at(0) == hex("#000004"));
  CHECK(magma.at(1) == hex("#fcfdbf"));
}

TEST_CASE("cividis, magma and grey are turned round on a light ground") {
  for (const ColormapKind kind : {ColormapKind::Cividis, ColormapKind::Magma, ColormapKind::Grey}) {
    const Colormap dark = Colormap::of(kind, hex("#000000")), light = Colormap::of(kind, hex("#FFFFFF"));
    CHECK(std::equal(dark.table().rbegin(), dark.table().rend(), light.table().begin()));
  }
}

TEST_CASE("the maps of ColorBrewer have their published colours on a light ground") {
  for (const FigureStyle& style : {FigureStyle::light()}) {
    const Colormap blues = Colormap::of(ColormapKind::Blues, style.neutral);
    CHECK(blues.at(0) == hex("#F7FBFF"));
    CHECK(blues.at(1) == hex("#08306B"));
    CHECK(blues.table()[128] == hex("#6AAED6"));  // just after stop 5 of 9, #6BAED6
    const Colormap greys = Colormap::of(ColormapKind::Greys, style.neutral);
    CHECK(greys.at(0) == hex("#FFFFFF"));
    CHECK(greys.at(1) == hex("#000000"));
    const Colormap reds = Colormap::of(ColormapKind::Reds, style.neutral);
    CHECK(reds.at(0) == hex("#FFF5F0"));
    CHECK(reds.at(1) == hex("#67000D"));
    const Colormap red_blue = Colormap::of(ColormapKind::RdBu, style.neutral);
    CHECK(red_blue.at(0) == hex("#67001F"));
    CHECK(red_blue.table()[51] == hex("#D6604D"));  // stop 3 of 11
    CHECK(red_blue.at(1) == hex("#053061"));
    const Colormap purple_orange = Colormap::of(ColormapKind::PuOr, style.neutral);
    CHECK(purple_orange.at(0) == hex("#7F3B08"));
    CHECK(purple_orange.table()[204] == hex("#8073AC"));  // stop 9 of 11
    CHECK(purple_orange.at(1) == hex("#2D004B"));
  }
}

TEST_CASE("more is lighter on a dark ground and darker on a light one, in every map") {
  for (const FigureStyle& style : {FigureStyle::dark(), FigureStyle::light()})
    for (const ColormapInfo& info : colormap_table()) {
      const Colormap map = Colormap::of(info.kind, style.neutral);
      const double sign = luminance(style.neutral) < 0.18 ? 1 : -1;
      constexpr double kRounding = 0.001;  // of the colours to 8 bits
      const int middle = info.diverging ? 128 : 0;
      for (int i = middle + 1; i < 256; ++i) {
        INFO(info.id << " at " << i);
        CHECK(sign * (luminance(map.table()[i]) - luminance(map.table()[i - 1])) > -kRounding);
      }
      for (int i = info.diverging ? 127 : 0; i > 0; --i) {
        INFO(info.id << " at " << i);
        CHECK(sign * (luminance(map.table()[i - 1]) - luminance(map.table()[i])) > -kRounding);
      }
      for (const int end : {0, 255})
        if (end == 255 || info.diverging)
          CHECK(sign * (luminance(map.table()[end]) - luminance(map.table()[middle])) > 0.1);
    }
}

TEST_CASE("without colour, a map keeps its lightness and has no hue") {
  for (const FigureStyle& style : {FigureStyle::dark(), FigureStyle::light()})
    for (const ColormapInfo& info : colormap_table()) {
      const Colormap map = Colormap::of(info.kind, style.neutral), grey = map.without_color();
      for (int i = 0; i < 256; i += 5) {
        const Color color = grey.table()[i];
        CHECK((color.r == color.g && color.g == color.b));
        CHECK(hue_of(color).chroma < 0.002);
        CHECK(std::abs(lightness(color) - lightness(map.table()[i])) < 0.12);
      }
    }
}

TEST_CASE("every sequential map grows lighter or darker all the way, for every kind of eye") {
  for (const ColormapInfo& info : colormap_table()) {
    if (info.diverging) continue;
    const Colormap map = Colormap::of(info.kind, hex("#1B1E24"));
    const bool grows_lighter = luminance(map.at(1)) > luminance(map.at(0));
    for (const Eye eye : {Eye::Usual, Eye::NoRed, Eye::NoGreen})
      for (int i = 8; i < 256; i += 8) {
        INFO(info.id << " at " << i);
        const double before = lightness(seen_by(eye, map.at((i - 8) / 255.0)));
        const double behind = lightness(seen_by(eye, map.at(i / 255.0)));
        CHECK((grows_lighter ? behind > before : behind < before));
      }
  }
}

TEST_CASE("grey takes even steps of lightness") {
  const Colormap grey = Colormap::of(ColormapKind::Grey, hex("#000000"));
  const double all = std::cbrt(luminance(grey.at(1))) - std::cbrt(luminance(grey.at(0)));
  for (int i = 51; i <= 255; i += 51)
    CHECK_THAT(std::cbrt(luminance(grey.at(i / 255.0))) - std::cbrt(luminance(grey.at((i - 51) / 255.0))),
               WithinAbs(all / 5, 0.01));
}

TEST_CASE("cividis looks nearly the same to eyes without green, viridis does not need to") {
  const Colormap cividis = Colormap::of(ColormapKind::Cividis, hex("#000000"));
  for (int i = 0; i < 256; i += 5) {
    const Color color = cividis.at(i / 255.0), seen = seen_by(Eye::NoGreen, color);
    CHECK_THAT(lightness(seen), WithinAbs(lightness(color), 0.05));
  }
}

TEST_CASE("both ends of a diverging map differ for every kind of eye, and from the middle") {
  for (const FigureStyle& style : {FigureStyle::dark(), FigureStyle::light()})
    for (const ColormapInfo& info : colormap_table()) {
      if (!info.diverging) continue;
      const Colormap map = Colormap::of(info.kind, style.neutral);
      const bool of_print = info.kind == ColormapKind::RdBu || info.kind == ColormapKind::PuOr;
      const bool published = of_print && style.neutral == FigureStyle::light().neutral;
      const Color middle = published ? hex("#F7F7F7") : style.neutral;
      CHECK(apart(map.at(0.5), middle) < 3);
      for (const Eye eye : {Eye::Usual, Eye::NoRed, Eye::NoGreen}) {
        const Color low = seen_by(eye, map.at(0)), high = seen_by(eye, map.at(1));
        CHECK(apart(low, high) > 60);
        CHECK(apart(low, seen_by(eye, middle)) > 60);
        CHECK(apart(high, seen_by(eye, middle)) > 60);
      }
    }
}

TEST_CASE("twelve heads have twelve colours that differ, and that stand out from the ground") {
  for (const FigureStyle& style : {FigureStyle::dark(), FigureStyle::light()})
    for (std::size_t a = 0; a < style.series.size(); ++a) {
      CHECK(contrast(style.series[a], style.background) >= 3);
      for (std::size_t b = a + 1; b < style.series.size(); ++b) {
        INFO(a << " and " << b);
        CHECK(difference(style.series[a], style.series[b]) >= 0.12);
      }
    }
  CHECK(FigureStyle::dark().series.size() == 12);
}

TEST_CASE("the distance of colours is that of OKLab") {
  CHECK_THAT(difference(hex("#000000"), hex("#FFFFFF")), WithinAbs(1, 1e-3));
  CHECK(difference(hex("#123456"), hex("#123456")) == 0);
}

TEST_CASE("values beyond the ends have the colours of the ends") {
  CHECK(Colormap::viridis().at(-3) == Colormap::viridis().at(0));
  CHECK(Colormap::viridis().at(7) == Colormap::viridis().at(1));
}

TEST_CASE("the diverging map") {
  for (const FigureStyle& style : {FigureStyle::dark(), FigureStyle::light()}) {
    const Colormap map = Colormap::diverging(style.neutral);
    CHECK(map.at(0.5) == style.neutral);
    CHECK(map.at(0).b > map.at(0).r);  // blue below zero
    CHECK(map.at(1).r > map.at(1).b);  // orange above
    CHECK(contrast(map.at(0), style.neutral) >= 4.5);
    CHECK(contrast(map.at(1), style.neutral) >= 4.5);
    double smallest = 1, largest = 0;
    for (int i = 16; i <= 240; i += 16) {
      const double step = step_size(map.at((i - 16) / 255.0), map.at(i / 255.0));
      smallest = std::min(smallest, step);
      largest = std::max(largest, step);
    }
    CHECK(largest < 3.5 * smallest);
  }
}

TEST_CASE("text on any colour of the maps can be read") {
  for (const FigureStyle& style : {FigureStyle::dark(), FigureStyle::light()})
    for (const ColormapInfo& info : colormap_table()) {
      const Colormap map = Colormap::of(info.kind, style.neutral);
      for (int i = 0; i < 256; ++i)
        CHECK(contrast(text_on(map.at(i / 255.0)), map.at(i / 255.0)) >= 4.5);
    }
}

TEST_CASE("contrast follows WCAG") {
  CHECK_THAT(contrast(hex("#FFFFFF"), hex("#000000")), WithinAbs(21, 1e-9));
  CHECK_THAT(contrast(hex("#777777"), hex("#FFFFFF")), WithinAbs(4.478, 0.001));
  CHECK_THAT(luminance(hex("#FF0000")), WithinAbs(0.2126, 1e-9));
}

TEST_CASE("mixing runs from one colour to the other") {
  CHECK(mix(hex("#102030"), hex("#FFFFFF"), 0) == hex("#102030"));
  CHECK(mix(hex("#102030"), hex("#FFFFFF"), 1) == hex("#FFFFFF"));
  CHECK(mix(hex("#000000"), hex("#FF8040"), 0.5) == hex("#804020"));
}

TEST_CASE("the texts of a figure stand out from its background") {
  for (const StyleKind kind : {StyleKind::Dark, StyleKind::Light}) {
    const FigureStyle style = FigureStyle::of(kind);
    for (const Color color : {style.text, style.quiet_text, style.error})
      CHECK(contrast(color, style.background) >= 4.5);
  }
}
