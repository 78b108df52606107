// Plans for areas of every size: negative, empty, and too small for their contents.
#include <algorithm>
#include <cmath>

#include "app/figure/plan/flow_plan.h"
#include "app/figure/plan/row_plan.h"
#include "app/figure/plan/vector_plan.h"
#include "tests/app/figure/figure_support.h"
#include "tests/support/catch.h"
#include "tests/support/thinned.h"

using namespace headlight_test;

namespace {

constexpr double kLeast = -40, kMost = 1100;

// Calls `plan` with every width at six heights, and with every height at six widths.
template <class Plan>
void in_every_room(Plan plan) {
  for (double side = kLeast, step = size_steps(); side <= kMost; side += step)
    for (const double other : {-5.0, 0.0, 1.0, 33.0, 180.0, 700.0}) {
      INFO(side << " and " << other);
      plan(side, other);
      plan(other, side);
    }
}

bool finite(const Rect& rect) {
  return std::isfinite(rect.x) && std::isfinite(rect.y) && std::isfinite(rect.width) &&
         std::isfinite(rect.height);
}

// A count, not one check per text: there are millions.
std::size_t lost_texts(const std::vector<PlannedText>& texts) {
  return static_cast<std::size_t>(std::count_if(texts.begin(), texts.end(), [](const PlannedText& text) {
    return !std::isfinite(text.x) || !std::isfinite(text.y) || !std::isfinite(text.size_px);
  }));
}

HeatmapFigure labelled(Stage stage, Index rows, Index columns) {
  HeatmapFigure figure;
  figure.tile = std::make_shared<const Tile>(ramp_tile(stage, rows, columns, -1, 1));
  figure.range = {-1, 1};
  figure.row_labels = tokens(rows);
  figure.column_labels = tokens(columns);
  figure.row_axis = "query";
  figure.column_axis = "key";
  figure.title = "a title";
  figure.selected_row = 0;
  return figure;
}

RowFigure bars_of_three() {
  RowFigure figure;
  figure.labels = tokens(40);
  figure.value_axis = true;
  RowBars bars;
  bars.name = "weights";
  for (int i = 0; i < 40; ++i)
    bars.values.push_back(static_cast<float>(i % 7) - 3);
  bars.marks.assign(40, CellMark::None);
  bars.range = {-3, 3};
  figure.stages = {bars, bars, bars};
  return figure;
}

}  // namespace

TEST_CASE("areas: a heatmap has cells of some size in any, whatever limits them") {
  for (const HeatmapFigure& figure :
       {labelled(Stage::Weights, 6, 6), labelled(Stage::Queries, 3, 200), labelled(Stage::Scores, 1, 1)})
    for (const double most : {64.0, 0.0, -3.0})
      in_every_room([&](double width, double height) {
        PlanLimits limits;
        limits.width = width;
        limits.height = height;
        limits.max_cell_px = most;
        const HeatmapPlan plan = plan_heatmap(figure, FigureStyle::dark(), limits, plain_measure);
        const bool sound = finite(plan.cells.rect) && plan.cells.rect.width > 0 &&
                           plan.cells.rect.height > 0 && lost_texts(plan.texts) == 0;
        if (!sound) CHECK(sound);
      });
}

TEST_CASE("areas: bars, lines and points have places in any") {
  const RowFigure row = bars_of_three();
  FlowFigure flow;
  flow.queries = flow.keys = tokens(12);
  const Tile weights = ramp_tile(Stage::Weights, 12, 12, 0.1f, 1);
  flow.heads = {{"head 0", 0, weights.values, weights.marks}};
  VectorFigure vectors;
  vectors.labels = tokens(3);
  vectors.sets = {{"values", 0, Matrix::Identity(3, 2)}};
  const FigureStyle style = FigureStyle::dark();
  in_every_room([&](double width, double height) {
    const RowPlan bars = plan_row(row, style, width, height, plain_measure);
    const FlowPlan lines = plan_flow(flow, style, width, height, plain_measure);
    const VectorPlan points = plan_vectors(vectors, style, width, height, plain_measure);
    const std::size_t lost =
        lost_texts(bars.drawing.texts) + lost_texts(lines.drawing.texts) + lost_texts(points.drawing.texts);
    const bool sound = lost == 0 && finite(lines.between) && flow_capacity(height, style) >= 1;
    if (!sound) CHECK(sound);
  });
}
