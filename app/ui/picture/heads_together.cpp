#include "app/ui/picture/heads_together.h"

#include "app/figure/plan/heatmap_figure.h"
#include "app/ui/context/shown_heads.h"
#include "app/ui/widgets/text_fit.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

// The heads of the cells that the picture shows, so that a cell can be traced to one of them.
void request_heads(UiContext& ui, Stage stage, const CellBlock& cell) {
  for (Index head = 0; head < stage_heads(ui.layer(), stage); ++head) {
    TileRequest request;
    request.stage = stage;
    request.sequence = ui.view.sequence;
    request.head = head;
    request.row_begin = cell.row;
    request.row_end = cell.row_end;
    request.column_begin = cell.column;
    request.column_end = cell.column_end;
    ui.requested.tiles.push_back(request);
  }
}

Index largest_head(const UiContext& ui, CellAddress cell) {
  Index largest = cell.head;
  std::optional<float> most;
  for (Index head = 0; head < stage_heads(ui.layer(), cell.stage); ++head) {
    cell.head = head;
    const auto number = find_number(ui, TileContent::Stage, cell);
    if (!number || (most && !(*number > *most))) continue;
    most = number;
    largest = head;
  }
  return largest;
}

}  // namespace

bool can_pool_heads(const UiContext& ui, Stage stage) {
  return ui.view.focus_view == FocusView::Heatmap && stage_heads(ui.layer(), stage) > 1 &&
         !ui.shows_gradients() && !is_mapped(ui);
}

bool shows_heads_together(const UiContext& ui, Stage stage) {
  return !ui.view.head && ui.view.heads.pool != HeadPool::Each && can_pool_heads(ui, stage);
}

void draw_heads_together(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area) {
  const Index count = stage_heads(ui.layer(), stage);
  const bool mean = ui.view.heads.pool == HeadPool::Mean;
  const float caption = font_size(ui.theme.fonts.label) + ui.theme.px(8);
  fitted_text(
      ui.theme.fonts.label, area.at, area.size.x, ui.theme.quiet_text,
      std::string(mean ? "the mean of all " : "the maximum of all ") + std::to_string(count) + " heads");
  HeatmapSpot spot;
  spot.stage = stage;
  spot.content = content_of(ui.view.heads.pool);
  spot.from_all_heads = false;
  spot.labels = spot.colorbar = spot.zooms = true;
  spot.moves_focus = false;
  spot.name = "focus." + std::string(stage_info(stage).name) + ".together";
  ImGui::SetCursorScreenPos({area.at.x, area.at.y + caption});
  const std::optional<CellAddress> before = ui.view.selection.cell;
  const HeatmapResult result = heatmap_view(ui, cache, spot, {area.size.x, area.size.y - caption});
  if (result.pointed.rows() != 1 || result.pointed.columns() != 1) return;
  request_heads(ui, stage, result.pointed);
  const auto of_largest = [&](std::optional<CellAddress>& cell) {
    if (cell && cell->stage == stage && cell->row == result.pointed.row &&
        cell->column == result.pointed.column)
      cell->head = largest_head(ui, *cell);
  };
  of_largest(ui.view.selection.hovered.now);
  if (ui.view.selection.cell != before) of_largest(ui.view.selection.cell);
  const auto number =
      find_number(ui, spot.content, {stage, ui.view.sequence, 0, result.pointed.row, result.pointed.column});
  if (number && ui.view.selection.hovered.now)
    ui.view.selection.note = std::string(mean ? "mean " : "maximum ") +
                             number_text(*number, ui.view.picture.decimals) + " of all heads; head " +
                             ui.counting().number(ui.view.selection.hovered.now->head) +
                             " has the most there";
}

}  // namespace headlight
