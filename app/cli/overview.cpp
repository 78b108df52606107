#include "app/cli/overview.h"

#include <algorithm>
#include <cmath>

#include "app/figure/cairo_painter.h"
#include "engine/attention/evaluator.h"

namespace headlight {
namespace {

constexpr Index kMaxHeads = 4, kMaxCells = 240;
constexpr double kLargestCell = 44, kMatrixSide = 264, kScale = 1.5;

// Cells of one size for all heatmaps, so that shapes can be compared.
double cell_px(const Model& model) {
  const double longest =
      static_cast<double>(std::min(kMaxCells, std::max({model.token_count(), model.d_in(), model.d_out()})));
  return std::clamp(std::floor(kMatrixSide / longest), 1.0, kLargestCell);
}

HeatmapPlan small_plan(const Evaluator& evaluator, Stage stage, Index head, const FigureStyle& style,
                       const MeasureText& measure) {
  TileRequest request;
  request.stage = stage;
  request.head = head;
  request.max_rows = kMaxCells;
  request.max_columns = kMaxCells;
  const Model& model = evaluator.model();
  HeatmapFigure figure = stage_figure(evaluator.tile(request), model.tokens, stage_heads(model, stage),
                                      std::string(stage_info(stage).formula));
  PlanLimits limits;
  limits.cell_px = cell_px(model);
  return plan_heatmap(figure, style, limits, measure);
}

}  // namespace

void export_overview(const Session& session, const std::filesystem::path& path) {
  const Evaluator evaluator = evaluate(session.model);
  FigureStyle style = FigureStyle::dark();
  style.title_size_px = 15;
  const MeasureText measure = pango_measure();
  std::vector<HeatmapPlan> plans;
  for (const StageInfo& info : stage_table())
    for (Index head = 0; head < std::min(kMaxHeads, stage_heads(session.model, info.stage)); ++head)
      plans.push_back(small_plan(evaluator, info.stage, head, style, measure));
  GridLimits limits;
  limits.max_width = 1760;
  style.title_size_px = 22;
  save_png(
      arrange(std::move(plans), session.title, "every stage of the attention layer", style, limits, measure),
      kScale, path);
}

}  // namespace headlight
