#include "app/ui/picture/minimap.h"

#include <algorithm>
#include <cmath>

#include "app/ui/context/shown_heads.h"
#include "app/ui/picture/map_view.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {
namespace {

constexpr float kSide = 100, kGap = 12, kLeastFrame = 5;  // planned pixels
constexpr float kLeastRoom = 200;                         // the pictures keep at least this much

// The head of the selected cell if it is shown, else the first shown head.
Index mapped_head(const UiContext& ui, Stage stage) {
  const std::vector<Index> heads = shown_heads(ui, stage);
  const Index wanted = ui.view.selection.cell ? ui.view.selection.cell->head : heads.front();
  return std::find(heads.begin(), heads.end(), wanted) != heads.end() ? wanted : heads.front();
}

ImVec2 map_size(const UiContext& ui, Stage stage) {
  const float aspect = picture_aspect(ui.layer(), stage), side = std::floor(ui.theme.px(kSide));
  return aspect >= 1 ? ImVec2(side, std::floor(side / aspect)) : ImVec2(std::floor(side * aspect), side);
}

struct Sides {
  float begin = 0, end = 0;
};

// The place of a part of `total` on the map, at least `least` long.
Sides frame_sides(Index begin, Index end, Index total, float at, float length, float least) {
  const auto place = [&](Index cell) {
    return at + length * static_cast<float>(cell) / static_cast<float>(std::max<Index>(total, 1));
  };
  Sides sides = {place(begin), place(end)};
  if (sides.end - sides.begin < least) {
    const float middle = std::clamp((sides.begin + sides.end) / 2, at + least / 2,
                                    at + std::max(length - least / 2, least / 2));
    sides = {middle - least / 2, middle + least / 2};
  }
  return {std::floor(sides.begin), std::ceil(sides.end)};
}

// Dims the parts outside of the frame.
void draw_frame(UiContext& ui, Stage stage, ImVec2 a, ImVec2 b) {
  const CellBlock region = region_of(ui, stage);
  const MapShape shape = stage_shape(ui.layer(), stage);
  const float least = ui.theme.px(kLeastFrame), line = std::max(1.0f, ui.theme.px(1.5f));
  const Sides across = frame_sides(region.column, region.column_end, shape.columns, a.x, b.x - a.x, least);
  const Sides down = frame_sides(region.row, region.row_end, shape.rows, a.y, b.y - a.y, least);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 veil = to_imgui(ui.theme.panel, 0.45);
  list.AddRectFilled(a, {b.x, down.begin}, veil);
  list.AddRectFilled({a.x, down.end}, b, veil);
  list.AddRectFilled({a.x, down.begin}, {across.begin, down.end}, veil);
  list.AddRectFilled({across.end, down.begin}, {b.x, down.end}, veil);
  list.AddRect({across.begin - 1, down.begin - 1}, {across.end + 1, down.end + 1},
               to_imgui(ui.theme.ground, 0.8), 0, 0, line + 2);
  list.AddRect({across.begin, down.begin}, {across.end, down.end}, to_imgui(ui.theme.text), 0, 0, line);
  const Counting counting = ui.counting();
  ui.probe.mark_rect("focus.map.frame",
                     {across.begin, down.begin, across.end - across.begin, down.end - down.begin},
                     "rows " + counting.range(region.row, region.row_end) + ", columns " +
                         counting.range(region.column, region.column_end));
}

// Centres the visible region on the cell under the pointer.
void go_there(UiContext& ui, Stage stage, ImVec2 a, ImVec2 b) {
  const CellBlock region = region_of(ui, stage);
  const MapShape shape = stage_shape(ui.layer(), stage);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto cell = [](float at, float begin, float end, Index total) {
    return static_cast<Index>(
        std::floor((at - begin) / std::max(end - begin, 1.0f) * static_cast<float>(total)));
  };
  const Index row = cell(mouse.y, a.y, b.y, shape.rows), column = cell(mouse.x, a.x, b.x, shape.columns);
  show_region(ui, stage,
              panned(region, shape, row - region.rows() / 2 - region.row,
                     column - region.columns() / 2 - region.column));
}

void draw_map(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area) {
  HeatmapSpot spot;
  spot.stage = stage;
  spot.head = mapped_head(ui, stage);
  spot.name = "focus.map";
  spot.points = spot.moves_focus = false;
  ImGui::SetCursorScreenPos(area.at);
  const HeatmapResult result = heatmap_view(ui, cache, spot, area.size);
  if (result.laid.cells.width <= 0) return;
  const ImVec2 a = {area.at.x + static_cast<float>(result.laid.cells.x),
                    area.at.y + static_cast<float>(result.laid.cells.y)};
  const ImVec2 b = {a.x + static_cast<float>(result.laid.cells.width),
                    a.y + static_cast<float>(result.laid.cells.height)};
  tooltip(ui, "All of " + std::string(stage_info(stage).name) + ": a click or a drag goes there");
  if (result.held) go_there(ui, stage, a, b);
  draw_frame(ui, stage, a, b);
}

}  // namespace

Area beside_minimap(UiContext& ui, HeatmapCache& cache, Stage stage, const Area& area) {
  if (!is_zoomed(ui, stage)) return area;
  const ImVec2 size = map_size(ui, stage);
  const float gap = ui.theme.px(kGap), room = ui.theme.px(kLeastRoom);
  const float width_beside = area.size.x - size.x - gap;
  const bool beside = width_beside >= std::max(room, area.size.y * 0.7f);
  if (!beside && area.size.y - size.y - gap < room) return area;
  Area left = area;
  if (beside)
    left.size.x -= size.x + gap;
  else
    left.size.y -= size.y + gap;
  draw_map(ui, cache, stage, {{area.end().x - size.x, beside ? area.at.y : area.end().y - size.y}, size});
  return left;
}

}  // namespace headlight
