#include "app/figure/color/colormap.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "app/figure/color/colormap_tables.h"

namespace headlight {
namespace {

struct Oklab {
  double lightness = 0, green_red = 0, blue_yellow = 0;
};

double to_linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t to_srgb(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  const double s = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * s));
}

// The matrices of OKLab: Björn Ottosson, "A perceptual color space for image processing", 2020.
Oklab oklab(Color color) {
  const double r = to_linear(color.r), g = to_linear(color.g), b = to_linear(color.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Color from_oklab(const Oklab& lab) {
  const double l = std::pow(lab.lightness + 0.3963377774 * lab.green_red + 0.2158037573 * lab.blue_yellow, 3);
  const double m = std::pow(lab.lightness - 0.1055613458 * lab.green_red - 0.0638541728 * lab.blue_yellow, 3);
  const double s = std::pow(lab.lightness - 0.0894841775 * lab.green_red - 1.2914855480 * lab.blue_yellow, 3);
  return {to_srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          to_srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          to_srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s), 255};
}

Oklab mixed(const Oklab& a, const Oklab& b, double t) {
  return {std::lerp(a.lightness, b.lightness, t), std::lerp(a.green_red, b.green_red, t),
          std::lerp(a.blue_yellow, b.blue_yellow, t)};
}

bool is_dark(Color tone) {
  return luminance(tone) < 0.18;
}

std::uint8_t hex_byte(std::string_view text) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  return static_cast<std::uint8_t>(digit(text[0]) * 16 + digit(text[1]));
}

}  // namespace

Color mix(Color a, Color b, double t) {
  auto channel = [t](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(std::lerp(double{1} * from, double{1} * to, t)));
  };
  return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b), channel(a.a, b.a)};
}

double luminance(Color color) {
  return 0.2126 * to_linear(color.r) + 0.7152 * to_linear(color.g) + 0.0722 * to_linear(color.b);
}

double contrast(Color a, Color b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

double difference(Color a, Color b) {
  const Oklab from = oklab(a), to = oklab(b);
  return std::hypot(from.lightness - to.lightness, from.green_red - to.green_red,
                    from.blue_yellow - to.blue_yellow);
}

Hue hue_of(Color color) {
  const Oklab lab = oklab(color);
  const double degrees = std::atan2(lab.blue_yellow, lab.green_red) * 180 / std::numbers::pi;
  return {degrees < 0 ? degrees + 360 : degrees, std::hypot(lab.green_red, lab.blue_yellow)};
}

Color text_on(Color background) {
  const double l = luminance(background);
  // Contrast with white is 1.05 / (l + 0.05), with black (l + 0.05) / 0.05.
  return (l + 0.05) * (l + 0.05) < 1.05 * 0.05 ? hex("#FFFFFF") : hex("#000000");
}

const std::array<ColormapInfo, kColormapCount>& colormap_table() {
  static constexpr std::array<ColormapInfo, kColormapCount> kTable = {{
      {ColormapKind::Viridis, "viridis", "viridis", "Through violet, green and yellow", false, false},
      {ColormapKind::Cividis, "cividis", "cividis",
       "From dark blue to yellow: looks nearly the same to everyone, whatever colours one can tell", false,
       false},
      {ColormapKind::Magma, "magma", "magma", "From black through red to pale yellow", false, false},
      {ColormapKind::Grey, "grey", "grey", "Between dark and light, for print without colour", false, true},
      {ColormapKind::Blues, "blues", "Blues", "Between near white and dark blue", false, true},
      {ColormapKind::Greys, "greys", "Greys", "Between white and black, for print without colour", false,
       true},
      {ColormapKind::Reds, "reds", "Reds", "Between near white and dark red", false, false},
      {ColormapKind::Diverging, "blue_orange", "blue to orange", "Blue below zero, orange above", true,
       false},
      {ColormapKind::PurpleGreen, "purple_green", "purple to green", "Purple below zero, green above", true,
       true},
      {ColormapKind::RdBu, "rdbu", "RdBu", "Red below zero, blue above, as in print", true, false},
      {ColormapKind::PuOr, "puor", "PuOr", "Orange below zero, purple above, as in print", true, false},
      {ColormapKind::Green, "green", "green",
       "From near the ground's tone to green: of numbers that are all positive", false, true},
      {ColormapKind::BlueGreen, "blue_green", "blue to green", "From blue to green: of shares of a whole",
       false, true},
  }};
  return kTable;
}

bool is_diverging(ColormapKind kind) {
  return colormap_table()[static_cast<std::size_t>(kind)].diverging;
}

Colormap Colormap::from_table(std::string_view table) {
  Colormap filled;
  for (std::size_t i = 0; i < 256; ++i) {
    const std::string_view color = table.substr(6 * i, 6);
    filled.table_[i] = {hex_byte(color), hex_byte(color.substr(2)), hex_byte(color.substr(4)), 255};
  }
  return filled;
}

const Colormap& Colormap::viridis() {
  static const Colormap map = from_table(kViridisTable);
  return map;
}

Colormap Colormap::grey() {
  Colormap map;
  const Oklab dark = {0.15, 0, 0}, light = {0.98, 0, 0};
  for (std::size_t i = 0; i < 256; ++i)
    map.table_[i] = from_oklab(mixed(dark, light, static_cast<double>(i) / 255));
  return map;
}

Colormap Colormap::through_three(Color low, Color center, Color high) {
  const Oklab first = oklab(low), middle = oklab(center), last = oklab(high);
  Colormap map;
  for (std::size_t i = 0; i < 256; ++i) {
    const double t = static_cast<double>(i) / 255;
    map.table_[i] = from_oklab(t < 0.5 ? mixed(first, middle, 2 * t) : mixed(middle, last, 2 * t - 1));
  }
  return map;
}

Colormap Colormap::turned_round() const {
  Colormap map;
  std::reverse_copy(table_.begin(), table_.end(), map.table_.begin());
  return map;
}

Colormap Colormap::without_color() const {
  Colormap map;
  std::transform(table_.begin(), table_.end(), map.table_.begin(), [](Color color) {
    return from_oklab({oklab(color).lightness, 0, 0});
  });
  return map;
}

Colormap Colormap::between(std::span<const Color> anchors) {
  Colormap map;
  const double last = static_cast<double>(anchors.size() - 1);
  for (std::size_t i = 0; i < 256; ++i) {
    const double at = static_cast<double>(i) / 255 * last;
    const std::size_t below = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
    map.table_[i] = mix(anchors[below], anchors[below + 1], at - static_cast<double>(below));
  }
  return map;
}

Colormap Colormap::through(Color low, Color neutral, Color high) {
  const Oklab first = oklab(low), middle = oklab(neutral), last = oklab(high);
  Colormap map;
  // 128 colours on each side; the two middle ones are the neutral itself, so that zero is exactly its tone.
  for (std::size_t i = 0; i < 128; ++i) {
    const double t = static_cast<double>(i) / 127;
    map.table_[127 - i] = i == 0 ? neutral : from_oklab(mixed(middle, first, t));
    map.table_[128 + i] = i == 0 ? neutral : from_oklab(mixed(middle, last, t));
  }
  return map;
}

Colormap Colormap::diverging(Color neutral) {
  const bool dark = is_dark(neutral);
  return through(dark ? hex("#6AABF2") : hex("#3473BA"), neutral, dark ? hex("#E58A2B") : hex("#AD5700"));
}

// Caches the last map of each kind: one in OKLab takes about a thousand calls of std::pow to compute, and the
// window requests one for each picture.
Colormap Colormap::of(ColormapKind kind, Color neutral) {
  struct Made {
    Color neutral;
    Colormap map;
  };
  thread_local std::array<std::optional<Made>, kColormapCount> made_last;
  std::optional<Made>& made = made_last[static_cast<std::size_t>(kind)];
  if (!made || made->neutral != neutral) {
    const Colormap map = make(kind, neutral);
    const bool grows_lighter = luminance(map.at(1)) > luminance(map.at(0));
    const bool turns = !is_diverging(kind) && grows_lighter != is_dark(neutral);
    made = Made{neutral, turns ? map.turned_round() : map};
  }
  return made->map;
}

Colormap Colormap::make(ColormapKind kind, Color neutral) {
  const bool dark = is_dark(neutral);
  switch (kind) {
    case ColormapKind::Viridis:
      return viridis();
    case ColormapKind::Cividis:
      return from_table(kCividisTable);
    case ColormapKind::Magma:
      return from_table(kMagmaTable);
    case ColormapKind::Grey:
      return grey();
    case ColormapKind::Blues:
      return between(kBlues);
    case ColormapKind::Greys:
      return between(kGreys);
    case ColormapKind::Reds:
      return between(kReds);
    case ColormapKind::RdBu:
      return dark ? through(hex("#F0776B"), neutral, hex("#6AABF2")) : between(kRdBu);
    case ColormapKind::PuOr:
      return dark ? through(hex("#E58A2B"), neutral, hex("#B493EB")) : between(kPuOr);
    case ColormapKind::Diverging:
      return diverging(neutral);
    case ColormapKind::PurpleGreen:
      return through(dark ? hex("#B493EB") : hex("#7E4FB8"), neutral, dark ? hex("#4DB56F") : hex("#1B7A3D"));
    case ColormapKind::Green:
      return dark ? through_three(mix(neutral, hex("#4DB56F"), 0.15), hex("#3F8F58"), hex("#B5E8AF"))
                  : through_three(mix(neutral, hex("#1B7A3D"), 0.15), hex("#5FB47C"), hex("#0F5A2B"));
    case ColormapKind::BlueGreen:
      return dark ? through_three(hex("#2A3358"), hex("#3A8588"), hex("#CDEB8C"))
                  : through_three(hex("#EEF5DC"), hex("#5FAFA0"), hex("#1C3567"));
  }
  return viridis();
}

}  // namespace headlight
