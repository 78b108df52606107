#include "app/figure/colormap.h"

#include <cmath>

#include "app/figure/figure_style.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// Distance as the eye takes it, roughly: in the cube roots of the luminances' parts.
double step_size(Color a, Color b) {
  const auto root = [](std::uint8_t channel) {
    return std::cbrt(luminance({channel, channel, channel, 255}));
  };
  return std::hypot(root(a.r) - root(b.r), root(a.g) - root(b.g), root(a.b) - root(b.b));
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
  const double rounding = 0.001;  // of its colours to 8 bits
  for (int i = 1; i < 256; ++i)
    CHECK(luminance(Colormap::viridis().at(i / 255.0)) >
          luminance(Colormap::viridis().at((i - 1) / 255.0)) - rounding);
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
  const Colormap dark = Colormap::diverging(FigureStyle::dark().neutral);
  const Colormap light = Colormap::diverging(FigureStyle::light().neutral);
  for (const Colormap* map : {&Colormap::viridis(), &dark, &light})
    for (int i = 0; i < 256; ++i) {
      const Color color = map->at(i / 255.0);
      CHECK(contrast(text_on(color), color) >= 4.5);
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
