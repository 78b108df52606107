#include "app/ui/inputs/grid_tints.h"

#include <algorithm>
#include <cmath>

#include "app/figure/color/colormap.h"

namespace headlight {
namespace {

constexpr double kStrongestTint = 0.45, kSelectedShare = 0.16, kBarShare = 0.6;
constexpr double kLeastContrast = 4.5;

// The map's colour over the background, weakened until text on it has enough contrast.
Color readable_tint(const Theme& theme, Color over, Color ground) {
  double strength = kStrongestTint;
  Color tint = ground;
  do {
    tint = mix(ground, over, strength);
    strength -= 0.05;
  } while (strength > 0 && contrast(tint, theme.text) < kLeastContrast);
  return tint;
}

}  // namespace

void update_tints(GridTints& tints, const Theme& theme) {
  if (tints.made && tints.kind == theme.kind) return;
  tints.made = true;
  tints.kind = theme.kind;
  const Colormap map = Colormap::of(ColormapKind::PurpleGreen, theme.panel);
  const Color chosen = mix(theme.panel, theme.accent, kSelectedShare);
  for (int i = 0; i < GridTints::kCount; ++i) {
    const Color over = map.at(static_cast<double>(i) / (GridTints::kCount - 1));
    tints.plain[static_cast<std::size_t>(i)] = to_imgui(readable_tint(theme, over, theme.panel));
    tints.selected[static_cast<std::size_t>(i)] = to_imgui(readable_tint(theme, over, chosen));
  }
  tints.negative_bar = to_imgui(mix(theme.panel, map.at(0), kBarShare));
  tints.positive_bar = to_imgui(mix(theme.panel, map.at(1), kBarShare));
}

ImU32 tint_at(const std::array<ImU32, GridTints::kCount>& tints, float share) {
  const auto at = static_cast<int>(std::lround((share + 1) / 2 * (GridTints::kCount - 1)));
  return tints[static_cast<std::size_t>(std::clamp(at, 0, GridTints::kCount - 1))];
}

}  // namespace headlight
