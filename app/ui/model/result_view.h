// One table of an answer in the window: a heatmap, a list, or a text coloured by its numbers.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/figure/plan/edges_plan.h"
#include "app/ui/widgets/area.h"
#include "app/ui/widgets/map_gestures.h"

namespace headlight {

// The part of a heatmap that is seen, and the edges of an answer in order. Owner: the page.
struct ResultMap {
  std::shared_ptr<const AnalysisRun> of;  // the answer and the table that it is of
  std::size_t table = 0;
  CellBlock region;  // empty: all of it
  MapGesture gesture;
  std::optional<LayeredEdges> edges;                      // of the answer, once their picture is shown
  std::vector<std::pair<Index, Index>> rows_and_columns;  // of each of them, in the first table
};

// Names: "model.question.answer", "model.question.cells" (of a heatmap, its value is the part that is seen),
// "model.question.row.<row>", "model.question.word.<token>"; of edges "model.question.edges", the slider of
// how many are drawn, and "model.question.node.<name>". Each number says under the pointer where it comes
// from, and a click leads there. The wheel zooms a heatmap; a double click, and Home under the pointer, show
// all of it again.
void result_view(UiContext& ui, ResultMap& map, const std::shared_ptr<const AnalysisRun>& answer,
                 std::size_t table, const Area& area);

}  // namespace headlight
