#include "app/ui/views/motion_source.h"

#include <algorithm>
#include <memory>

#include "app/ui/picture/linked_cells.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/picture/tile_source.h"
#include "app/ui/views/view_switch.h"
#include "app/ui/widgets/plan_painter.h"

namespace headlight {
namespace {

// The numbers of the newest view result. What it lacks is requested, and there in a later frame.
class NumbersOnScreen : public MotionNumbers {
 public:
  explicit NumbersOnScreen(UiContext& ui) : ui_(ui) {}

  const Layer& layer() const override { return ui_.layer(); }
  Counting counting() const override { return ui_.counting(); }
  int decimals() const override { return ui_.view.picture.decimals; }
  StageColors colors(Stage stage) const override { return ui_.view.picture.colors_of(stage); }

  ValueStatistics statistics(Stage stage, Index, std::optional<Index> head) override {
    return shown_numbers(ui_, stage, head, colors(stage));
  }

  std::shared_ptr<const CellTrace> trace(const CellAddress& cell) override {
    ui_.requested.traces.push_back(cell);
    return ui_.answer ? ui_.answer->find(cell) : nullptr;
  }

  std::shared_ptr<const RowSummary> row(const RowRequest& request) override {
    ui_.requested.rows.push_back(request);
    return ui_.answer ? ui_.answer->find(request) : nullptr;
  }

  // Requests those of the other heads too where all share one range of colours.
  std::shared_ptr<const Tile> tile(const TileRequest& request) override {
    const bool shared = colors(request.stage).shared;
    for (Index head = 0; head < stage_heads(layer(), request.stage); ++head) {
      if (head != request.head && !shared) continue;
      ui_.requested.tiles.push_back(request);
      ui_.requested.tiles.back().head = head;
    }
    return ui_.answer ? ui_.answer->find(request) : nullptr;
  }

 private:
  UiContext& ui_;
};

}  // namespace

std::optional<CellAddress> motion_cell(const UiContext& ui) {
  const Stage stage = large_stage(ui.view);
  const Layer& layer = ui.layer();
  if (!has_motion(layer, stage)) return std::nullopt;
  const auto& selected = ui.view.selection.cell;
  const bool here = selected && selected->stage == stage && selected->sequence == ui.view.sequence;
  if (here && address_exists(layer, *selected)) return selected;
  CellAddress cell = {stage, ui.view.sequence, stage_head(layer, stage, view_head(ui)), 0, 0};
  const bool of_queries = stage_info(stage).rows == StageRows::Queries;
  const Index last = stage_rows(layer, stage) - 1;
  cell.row =
      selected ? std::min(of_queries ? view_query(ui) : std::max<Index>(0, cell_tokens(*selected).key), last)
               : last;
  if (is_pair(stage)) {
    const Index key = selected ? cell_tokens(*selected).key : Index{-1};
    cell.column = std::clamp<Index>(key >= 0 ? key : cell.row, 0, stage_columns(layer, stage) - 1);
  }
  return address_exists(layer, cell) ? std::optional(cell) : std::nullopt;
}

MotionPlan motion_of(UiContext& ui, const CellAddress& cell, double width, double height) {
  NumbersOnScreen numbers(ui);
  const MeasureText measure = imgui_measure(ui.theme);
  return motion_of(numbers, cell, {ui.theme.figure, width, height, measure});
}

}  // namespace headlight
