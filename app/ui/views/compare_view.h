// Two states side by side: A, which was kept, B, the present one, and how far B has moved from A.
#pragma once

#include <string>
#include <vector>

#include "app/ui/kit/area.h"
#include "app/ui/picture/heatmap_view.h"

namespace headlight {

// Keeps the present state as A. A is forgotten with the program: it is no part of a session.
void keep_state(UiContext& ui);
void forget_state(UiContext& ui);
// Goes back to A as one undo step, and keeps the present state as A instead. Precondition: one is kept.
void swap_states(UiContext& ui);

// The view of a stage: for each head A, B and B − A, probed as "compare.a.h0", "compare.b.h0" and
// "compare.difference.h0", and beside them the largest changes, "compare.change.0" and so on, of all heads
// shown from top to bottom. Without an A it says what it is for.
void draw_compare(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area);

// "journey (1) → step (5): 0.2408 → 0.1077, −0.1331", or with "journey (1), dimension 2" in stages that have
// no keys.
std::string change_text(const Model& model, Stage stage, const CellChange& change, int decimals,
                        Counting counting);

}  // namespace headlight
