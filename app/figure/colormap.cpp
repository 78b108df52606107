#include "app/figure/colormap.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

// Viridis by Stefan van der Walt, Nathaniel Smith and Eric Firing (CC0), 256 colours as RRGGBB.
constexpr std::string_view kViridis =
    "44015444025645045745055946075a46085c460a5d460b5e470d60470e6147106347116447136548146748166848176948186a48"
    "1a6c"
    "481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979472a7a472c7a472d7b472e7c472f7d46"
    "307e"
    "46327e46337f463480453581453781453882443983443a83443b84433d84433e85423f8542408642418641428741448740458840"
    "4688"
    "3f47883f48893e49893e4a893e4c8a3d4d8a3d4e8a3c4f8a3c508b3b518b3b528b3a538b3a548c39558c39568c38588c38598c37"
    "5a8c"
    "375b8d365c8d365d8d355e8d355f8d34608d34618d33628d33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f"
    "6c8e"
    "2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e297b8e287c8e28"
    "7d8e"
    "277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e23898e238a8d228b8d228c8d228d8d21"
    "8e8d"
    "218f8d21908d21918c20928c20928c20938c1f948c1f958b1f968b1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f"
    "9f88"
    "1fa0881fa1881fa1871fa28720a38620a48621a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad8128ae8029"
    "af7f"
    "2ab07f2cb17e2db27d2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144"
    "bf70"
    "46c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc8635ec96260ca6063cb5f65cb5e67cc5c69"
    "cd5b"
    "6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d54989d5488bd6468ed64590d74393d74195"
    "d840"
    "98d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32addc30b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5"
    "e021"
    "c8e020cae11fcde11dd0e11cd2e21bd5e21ad8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4"
    "e61e"
    "f6e620f8e621fbe723fde725";
static_assert(kViridis.size() == 256 * 6);

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

Oklab between(const Oklab& a, const Oklab& b, double t) {
  return {std::lerp(a.lightness, b.lightness, t), std::lerp(a.green_red, b.green_red, t),
          std::lerp(a.blue_yellow, b.blue_yellow, t)};
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

Color text_on(Color background) {
  const double l = luminance(background);
  // Contrast with white is 1.05 / (l + 0.05), with black (l + 0.05) / 0.05.
  return (l + 0.05) * (l + 0.05) < 1.05 * 0.05 ? hex("#FFFFFF") : hex("#000000");
}

const Colormap& Colormap::viridis() {
  static const Colormap map = [] {
    Colormap filled;
    for (std::size_t i = 0; i < 256; ++i) {
      const std::string_view color = kViridis.substr(6 * i, 6);
      filled.table_[i] = {hex_byte(color), hex_byte(color.substr(2)), hex_byte(color.substr(4)), 255};
    }
    return filled;
  }();
  return map;
}

Colormap Colormap::diverging(Color neutral) {
  const bool dark = luminance(neutral) < 0.18;
  const Oklab low = oklab(dark ? hex("#6AABF2") : hex("#3473BA"));
  const Oklab high = oklab(dark ? hex("#E58A2B") : hex("#AD5700"));
  const Oklab middle = oklab(neutral);
  Colormap map;
  // 128 colours on each side; the two middle ones are the neutral itself, so that zero is exactly its tone.
  for (int i = 0; i < 128; ++i) {
    const double t = i / 127.0;
    map.table_[static_cast<std::size_t>(127 - i)] = i == 0 ? neutral : from_oklab(between(middle, low, t));
    map.table_[static_cast<std::size_t>(128 + i)] = i == 0 ? neutral : from_oklab(between(middle, high, t));
  }
  return map;
}

Color Colormap::at(double t) const {
  return table_[static_cast<std::size_t>(std::lround(255 * std::clamp(t, 0.0, 1.0)))];
}

}  // namespace headlight
