#include "app/cli/overview.h"

#include <algorithm>
#include <cmath>

#include "app/figure/paint/cairo_painter.h"
#include "engine/attention/evaluator.h"
#include "engine/layer/stage_formula.h"

namespace headlight {
namespace {

constexpr Index kMaxHeads = 4, kMaxCells = 240;
constexpr double kLargestCell = 44, kMatrixSide = 264, kScale = 1.5;

// Cells of one size for all heatmaps, so that shapes can be compared.
double cell_px(const Layer& layer) {
  const double longest = static_cast<double>(
      std::min(kMaxCells, std::max({layer.token_count(), layer.key_count(), layer.d_in(), layer.d_out()})));
  return std::clamp(std::floor(kMatrixSide / longest), 1.0, kLargestCell);
}

HeatmapFigure small_figure(const Evaluator& evaluator, Stage stage, Index head) {
  TileRequest request;
  request.stage = stage;
  request.head = head;
  request.max_rows = kMaxCells;
  request.max_columns = kMaxCells;
  const Layer& layer = evaluator.layer();
  return stage_figure(evaluator.tile(request), layer, stage_heads(layer, stage), stage_formula(layer, stage));
}

}  // namespace

void export_overview(const Session& session, const std::filesystem::path& path) {
  const Evaluator evaluator = evaluate(session.layer);
  const MeasureText measure = pango_measure();
  FigureStyle style = FigureStyle::dark();
  style.title_size_px = 15;
  PlanLimits cells;
  cells.cell_px = cell_px(session.layer);
  std::vector<HeatmapPlan> plans;
  // Two passes: the second one aligns the cells of all heatmaps with the lowest ones of the first pass.
  for (int pass = 0; pass < 2; ++pass) {
    plans.clear();
    for (const Stage stage : stages_in_use(session.layer))
      for (Index head = 0; head < std::min(kMaxHeads, stage_heads(session.layer, stage)); ++head)
        plans.push_back(plan_heatmap(small_figure(evaluator, stage, head), style, cells, measure));
    for (const HeatmapPlan& plan : plans)
      cells.min_cells_top = std::max(cells.min_cells_top, plan.cells.rect.y);
  }
  GridLimits limits;
  limits.max_width = 1760;
  style.title_size_px = 22;
  save_png(
      arrange(std::move(plans), session.title, "every stage of the attention layer", style, limits, measure),
      kScale, path);
}

}  // namespace headlight
