// The colours behind the numbers of a grid: blue - panel - orange, as strong as the text can bear.
#pragma once

#include <array>

#include "app/ui/context/theme.h"

namespace headlight {

// Owned by the grid's state; made again when the theme's colours are others.
struct GridTints {
  static constexpr int kCount = 65;
  bool made = false;
  ThemeKind kind = ThemeKind::Dark;
  std::array<ImU32, kCount> plain{}, selected{};  // from the most negative to the most positive
  ImU32 negative_bar = 0, positive_bar = 0;
};
void update_tints(GridTints& tints, const Theme& theme);
// `share`: of the largest magnitude, -1 to 1.
ImU32 tint_at(const std::array<ImU32, GridTints::kCount>& tints, float share);

}  // namespace headlight
