// Colour maps: from a number in [0, 1] to a colour.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headlight {

struct Color {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Color&) const = default;
};

// "#RRGGBB" as the look's pages write it; a compile-time error otherwise.
consteval Color hex(std::string_view text) {
  auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    throw "not a hexadecimal digit";
  };
  if (text.size() != 7 || text[0] != '#') throw "a colour is #RRGGBB";
  auto byte = [&](int at) { return static_cast<std::uint8_t>(digit(text[at]) * 16 + digit(text[at + 1])); };
  return {byte(1), byte(3), byte(5), 255};
}

Color mix(Color a, Color b, double t);  // linear in sRGB; t in [0, 1]
double luminance(Color color);          // relative luminance of WCAG 2, in [0, 1]
double contrast(Color a, Color b);      // contrast ratio of WCAG 2, 1 to 21
double difference(Color a, Color b);    // distance in OKLab: 1 between black and white
Color text_on(Color background);        // black or white, whichever reads better

enum class ColormapKind {
  Viridis,
  Cividis,
  Magma,
  Grey,
  Blues,
  Greys,
  Reds,
  Diverging,
  PurpleGreen,
  RdBu,
  PuOr,
  Green
};
inline constexpr std::size_t kColormapCount = 12;

struct ColormapInfo {
  ColormapKind kind;
  std::string_view id, name, what;  // for the probe, on screen, in a tooltip
  bool diverging;                   // about a middle; else between dark and light
};
const std::array<ColormapInfo, kColormapCount>& colormap_table();
bool is_diverging(ColormapKind kind);

// A table of 256 colours. Sequential maps grow lighter evenly; grey does so in OKLab, and green from near
// the `neutral` tone to the end that purple to green has for the largest numbers. Diverging maps run
// through `neutral`, evenly in OKLab; their two ends are equally far from the neutral tone, and brighter on a
// dark one than on a light one. Blues, Greys, Reds, RdBu and PuOr are ColorBrewer's, the same on every
// ground: the first three grow darker, the others run through a near white. All can be told apart with a
// deficiency of red or green.
class Colormap {
 public:
  static const Colormap& viridis();
  static Colormap diverging(Color neutral);  // blue - neutral - orange
  static Colormap of(ColormapKind kind, Color neutral);
  // t is clamped to [0, 1]; NaN is the caller's business.
  Color at(double t) const {
    const double entry = 255 * std::clamp(t, 0.0, 1.0) + 0.5;
    // Not by lround: this is asked of every cell, and is never negative.
    return table_[static_cast<std::size_t>(entry)];  // NOLINT(bugprone-incorrect-roundings)
  }
  const std::array<Color, 256>& table() const { return table_; }  // from 0 to 1 in equal steps

 private:
  static Colormap make(ColormapKind kind, Color neutral);
  static Colormap from_table(std::string_view table);
  static Colormap grey();
  static Colormap green(Color neutral);
  // In equal steps through the colours, at least two, mixed in sRGB between them.
  static Colormap between(std::span<const Color> anchors);
  static Colormap through(Color low, Color neutral, Color high);

  std::array<Color, 256> table_{};
};

}  // namespace headlight
