// More heads than can be read side by side: one of them large, and all as a column of small pictures.
#pragma once

#include <vector>

#include "app/ui/kit/area.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// How wide the column is, with the gap to the large picture.
float thumbs_width(const UiContext& ui);

// The head that is drawn large: the one chosen last, by hand or with a cell that was selected.
Index large_head(UiContext& ui, Stage stage);

// Draws the column at the right end of `area`, `heads` from top to bottom, each with its switches and the
// measure that heads are sorted by (the entropy where they are not). A click chooses the large one, and so do
// the keys 1 to 9 from the top. Returns the one to be drawn large: while the pointer is on a small picture,
// that one. Probed as "thumb.h<head>".
Index draw_thumbs(UiContext& ui, HeatmapCache& cache, Stage stage, const std::vector<Index>& heads,
                  const Area& area);

}  // namespace headlight
