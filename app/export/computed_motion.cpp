#include "app/export/computed_motion.h"

#include <utility>

namespace headlight {

ValueStatistics ComputedMotionNumbers::statistics(Stage stage, Index sequence, std::optional<Index> head) {
  for (const Known& known : known_)
    if (known.stage == stage && known.sequence == sequence && known.head == head) return known.numbers;
  TileRequest request;
  request.stage = stage;
  request.sequence = sequence;
  request.max_rows = request.max_columns = 1;  // its range and spread are of the whole matrix
  request_spread(request, colors(stage));
  ValueStatistics numbers;
  const Index begin = head.value_or(0), end = head ? *head + 1 : stage_heads(layer(), stage);
  for (request.head = begin; request.head < end; ++request.head)
    numbers = joined(numbers, statistics_of(session_.tile(request)));
  known_.push_back({stage, sequence, head, numbers});
  return numbers;
}

std::shared_ptr<const CellTrace> ComputedMotionNumbers::trace(const CellAddress& cell) {
  return std::make_shared<const CellTrace>(
      session_.ask([&](const Evaluator& evaluator) { return evaluator.trace(cell); }));
}

std::shared_ptr<const RowSummary> ComputedMotionNumbers::row(const RowRequest& request) {
  return std::make_shared<const RowSummary>(
      session_.ask([&](const Evaluator& evaluator) { return evaluator.row(request); }));
}

std::shared_ptr<const Tile> ComputedMotionNumbers::tile(const TileRequest& request) {
  return std::make_shared<const Tile>(session_.tile(request));
}

}  // namespace headlight
