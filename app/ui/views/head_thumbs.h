// View of more heads than can be read side by side: one of them large, and all as a column of small pictures.
#pragma once

#include <vector>

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// The width of the column, with the gap to the large picture.
float thumbs_width(const UiContext& ui);

// The head drawn large: the one chosen last, in the column or by selecting one of its cells.
Index large_head(UiContext& ui, Stage stage);

// Draws the column at the right end of `area`, `heads` from top to bottom, each with its switches and the
// measure that heads are sorted by (entropy if they are not sorted). A click chooses the large head, and so
// do the keys 1 to 9, counted from the top. Returns the head to draw large: the one whose small picture is
// hovered, else the chosen one. Probed as "thumb.h<head>".
Index draw_thumbs(UiContext& ui, HeatmapCache& cache, Stage stage, const std::vector<Index>& heads,
                  const Area& area);

}  // namespace headlight
