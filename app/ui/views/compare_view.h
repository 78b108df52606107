// Comparison of two states side by side: the baseline A, the present state B, and the difference B − A.
#pragma once

#include <string>
#include <vector>

#include "app/ui/picture/heatmap_view.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// Stores the present state as the baseline A. A is not part of a session and is not saved.
void set_baseline(UiContext& ui);
void clear_baseline(UiContext& ui);
// Restores A as one undo step, and stores the present state as the new A. Precondition: there is an A.
void swap_with_baseline(UiContext& ui);
// Whether the large picture shows two states, and so the way from the kept one to the present one.
bool shows_way(const UiContext& ui);
// What can be done with the kept state, as entries of a menu.
void compare_entries(UiContext& ui);

// Draws the comparison of a stage: for each head A, B and B − A, probed as "compare.a.h0", "compare.b.h0" and
// "compare.difference.h0", and beside them the largest changes, "compare.change.0" and so on, of all shown
// heads from top to bottom. Without an A it shows an explanation.
void draw_compare(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area);

// "journey (1) → step (5): 0.2408 → 0.1077, −0.1331"; in stages without keys the place is "journey (1),
// dimension 2".
std::string change_text(const Layer& layer, Stage stage, const CellChange& change, int decimals,
                        Counting counting);

}  // namespace headlight
