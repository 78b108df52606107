// The picture of a stage as it is saved: one heatmap, or its heads side by side.
#pragma once

#include <string>
#include <vector>

#include "app/figure/figure_grid.h"

namespace headlight {

// At most so many values along a side are asked of a stage for a picture; a longer one is pooled.
inline constexpr Index kMaxPictureCells = 2048;

// The whole of one head of a stage, for a picture.
TileRequest picture_request(Stage stage, Index sequence, Index head, const StageColors& colors = {});

// Fixed cells: large enough for numbers when there are few of them, a pixel each when there are many.
PlanLimits picture_limits(const HeatmapFigure& figure);

// How a picture is coloured and numbered.
struct PictureLook {
  StageColors colors;
  int decimals = 4;
};

// One plan for each of `tiles`, the shown heads of one stage, under one title. Heads share one colour range
// unless the look says otherwise. `head_count` is the number of heads that the stage has.
FigureGrid stage_picture(const std::vector<Tile>& tiles, const std::vector<std::string>& tokens,
                         Index head_count, const std::string& session_title, const FigureStyle& style,
                         const MeasureText& measure, const PictureLook& look = {});

}  // namespace headlight
