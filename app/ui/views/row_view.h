// The row view: one query's row as bars, from its scores to its dropped weights.
#pragma once

#include <memory>
#include <vector>

#include "app/figure/plan/row_plan.h"
#include "app/ui/widgets/area.h"
#include "engine/views/query.h"

namespace headlight {

// State of the view across frames.
struct RowViewState {
  // The newest complete set of rows, one for each of row_stages(); empty before the first.
  std::vector<std::shared_ptr<const RowSummary>> rows;
  std::uint64_t layer_revision = 0;  // Document::layer_revision of the rows
};

void draw_row_view(UiContext& ui, RowViewState& state, const Area& area);

}  // namespace headlight
