// Legend of the cells that are not a number on the scale: masked, dropped, not finite, beyond the range.
#pragma once

#include <string>
#include <vector>

#include "app/figure/color/color_scale.h"
#include "app/ui/context/ui_context.h"

namespace headlight {

enum class CellKind { Masked, Dropped, NotANumber, Infinite, Beyond, Appeared, Vanished };

// The kinds that a picture of one state can contain; a difference can contain Appeared and Vanished as well.
const std::vector<CellKind>& all_cell_kinds();
// The kinds of cells among the shown numbers.
std::vector<CellKind> occurring_kinds(const ValueRange& range, const ColorRange& colors);

// Draws a sample and the name of each kind, from the cursor on, in lines of at most `width`. Probed as
// "<name>.masked" and so on.
void cell_legend(UiContext& ui, const std::string& name, const std::vector<CellKind>& kinds, Stage stage,
                 float width);
float cell_legend_height(const UiContext& ui, const std::vector<CellKind>& kinds, float width);

}  // namespace headlight
