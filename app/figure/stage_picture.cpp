#include "app/figure/stage_picture.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double kPadding = 24;
constexpr double kNumberSide = 62;  // of cells that are large enough for "−0.1234"

// The side of a cell when there are `count` along one direction.
double side_px(Index count) {
  constexpr Index kWithNumbers = 16;
  if (count <= kWithNumbers) return kNumberSide;
  return std::clamp(std::floor(1000.0 / static_cast<double>(count)), 1.0, 40.0);
}

}  // namespace

TileRequest picture_request(Stage stage, Index sequence, Index head, const StageColors& colors) {
  TileRequest request;
  request.stage = stage;
  request.sequence = sequence;
  request.head = head;
  request.max_rows = kMaxPictureCells;
  request.max_columns = kMaxPictureCells;
  ask_spread(request, colors);
  return request;
}

PlanLimits picture_limits(const HeatmapFigure& figure) {
  PlanLimits limits;
  limits.cell_px = side_px(figure.tile.values.cols());
  limits.cell_height_px = side_px(figure.tile.values.rows());
  const double smaller = std::min(limits.cell_px, limits.cell_height_px);
  // Square where rows and columns are the same tokens; elsewhere not too long.
  const double longest = is_square(figure.tile.request.stage) ? smaller : std::max(2 * smaller, 24.0);
  limits.cell_px = std::min(limits.cell_px, longest);
  limits.cell_height_px = std::min(limits.cell_height_px, longest);
  // Wider for more decimals than usual, where there are numbers at all.
  if (smaller >= kNumberSide && figure.decimals > 4) limits.cell_px += 8.0 * (figure.decimals - 4);
  return limits;
}

FigureGrid stage_picture(const std::vector<Tile>& tiles, const std::vector<std::string>& tokens,
                         Index head_count, const std::string& session_title, const FigureStyle& style,
                         const MeasureText& measure, const PictureLook& look) {
  GridLimits grid;
  grid.padding_px = kPadding;
  grid.max_width = 2400;
  ShownNumbers all;
  for (const Tile& tile : tiles)
    all = joined(all, {tile.range, tile.spread});
  std::vector<HeatmapPlan> plans;
  std::string title;
  for (const Tile& tile : tiles) {
    HeatmapFigure figure = stage_figure(tile, tokens, head_count, session_title, look.colors);
    if (look.colors.shared) figure.range = color_range(all, look.colors, tile.request.stage);
    figure.decimals = look.decimals;
    if (tiles.size() > 1) {
      title = std::string(stage_info(tile.request.stage).name);
      figure.title.clear();
      figure.subtitle = "head " + std::to_string(tile.request.head + 1) + " of " + std::to_string(head_count);
    }
    plans.push_back(plan_heatmap(figure, style, picture_limits(figure), measure));
  }
  return arrange(std::move(plans), title, title.empty() ? "" : session_title, style, grid, measure);
}

}  // namespace headlight
