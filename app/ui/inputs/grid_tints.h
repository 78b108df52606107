// The background colours of a grid's numbers: purple - panel - green, limited so that text stays readable.
#pragma once

#include <array>

#include "app/ui/context/theme.h"

namespace headlight {

// Owned by the grid's state; computed again when the theme's kind changes.
struct GridTints {
  static constexpr int kCount = 65;
  bool made = false;
  ThemeKind kind = ThemeKind::Dark;
  std::array<ImU32, kCount> plain{}, selected{};  // from the most negative to the most positive
  ImU32 negative_bar = 0, positive_bar = 0;
};
void update_tints(GridTints& tints, const Theme& theme);
// `share`: the value divided by the largest magnitude, -1 to 1.
ImU32 tint_at(const std::array<ImU32, GridTints::kCount>& tints, float share);

}  // namespace headlight
