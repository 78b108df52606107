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

// The colour of a text "#RRGGBB"; any other text is a compile-time error.
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

// The hue in OKLab, in degrees from 0 to 360, and the chroma, 0 for greys and about 0.3 at most.
struct Hue {
  double degrees = 0, chroma = 0;
};
Hue hue_of(Color color);

Color text_on(Color background);  // black or white, whichever has the higher contrast

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
  Green,
  BlueGreen
};
inline constexpr std::size_t kColormapCount = 13;

struct ColormapInfo {
  ColormapKind kind;
  std::string_view id, name, what;  // identifier, name on screen, tooltip
  bool diverging;                   // through a neutral middle; else between dark and light
  // Offered in the window: no colour has the hue of the selection or of the lesson's pointer, and purple is
  // only below zero. Figures have neither selection nor pointer, and all maps.
  bool in_window;
};
const std::array<ColormapInfo, kColormapCount>& colormap_table();
bool is_diverging(ColormapKind kind);

// A table of 256 colours. On a dark neutral tone more is lighter, on a light one darker: the sequential maps
// are turned round where their published order is the other one, and both ends of a diverging map are lighter
// or darker than the neutral tone. Sequential maps change evenly in lightness: grey in OKLab; green and blue
// to green in OKLab from near `neutral`. Diverging maps run through `neutral`, evenly in OKLab; RdBu and PuOr
// have the colours of ColorBrewer on a light tone and run through a near white there. The colours of every
// map are distinguishable with a deficiency of red or green.
class Colormap {
 public:
  static const Colormap& viridis();          // in its published order, on any ground
  static Colormap diverging(Color neutral);  // blue - neutral - orange
  static Colormap of(ColormapKind kind, Color neutral);
  // The map in grey of the same lightness, for a head that is switched off.
  Colormap without_color() const;
  Colormap turned_round() const;
  // `t` is clamped to [0, 1]. Precondition: `t` is not NaN.
  Color at(double t) const {
    const double entry = 255 * std::clamp(t, 0.0, 1.0) + 0.5;
    // A cast instead of lround, because it runs for every cell and `entry` is never negative.
    return table_[static_cast<std::size_t>(entry)];  // NOLINT(bugprone-incorrect-roundings)
  }
  const std::array<Color, 256>& table() const { return table_; }  // from 0 to 1 in equal steps

 private:
  static Colormap make(ColormapKind kind, Color neutral);
  static Colormap from_table(std::string_view table);
  static Colormap grey();
  // Evenly in OKLab between three colours.
  static Colormap through_three(Color low, Color middle, Color high);
  // Equally spaced anchors, at least two, mixed in sRGB between them.
  static Colormap between(std::span<const Color> anchors);
  static Colormap through(Color low, Color neutral, Color high);

  std::array<Color, 256> table_{};
};

}  // namespace headlight
