#include "app/ui/widgets/map_gestures.h"

#include <algorithm>
#include <cmath>

#include "app/platform/imgui_compat.h"

namespace headlight {
namespace {

constexpr double kStepPan = 0.125;  // pan per step of the wheel, as a share of the visible region

// Removes the whole cells from the accumulated movement and returns them.
Index whole_cells(double& turned) {
  const double whole = std::trunc(turned);
  turned -= whole;
  return static_cast<Index>(whole);
}

void turn_wheel(MapGesture& gesture, MapShape shape, MapPlace place, CellBlock& region) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0 && io.MouseWheelH == 0) return;
  const double across = static_cast<double>(io.MouseWheelH) + (shift_held() ? io.MouseWheel : 0);
  gesture.pan_columns -= across * std::max(1.0, kStepPan * static_cast<double>(region.columns()));
  region = panned(region, shape, 0, whole_cells(gesture.pan_columns));
  if (shift_held() || io.MouseWheel == 0) return;
  // Reversing the wheel discards the accumulated fraction of a cell.
  if (gesture.zoom * io.MouseWheel < 0) gesture.zoom = 0;
  gesture.zoom += io.MouseWheel;
  const CellBlock turned = zoomed(region, shape, std::pow(kZoomStep, gesture.zoom), place);
  if (turned != region || std::abs(gesture.zoom) >= 1) gesture.zoom = 0;
  region = turned;
}

// Returns whether the picture is held.
bool drag_map(MapGesture& gesture, const std::string& name, MapShape shape, ImVec2 size, CellBlock& region) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool space = key_down(Key::Space) && !ImGui::GetIO().WantTextInput;
  const bool taken = ImGui::IsMouseClicked(ImGuiMouseButton_Middle) ||
                     (space && ImGui::IsMouseClicked(ImGuiMouseButton_Left));
  if (ImGui::IsItemHovered() && taken) gesture = {name, mouse, region};
  if (gesture.dragged != name) return space && ImGui::IsItemHovered();
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Middle) && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    gesture.dragged.clear();
    return true;
  }
  const auto cells = [](float moved, Index shown, float room) {
    return static_cast<Index>(std::lround(-moved * static_cast<float>(shown) / std::max(room, 1.0f)));
  };
  const CellBlock& began = gesture.region;
  region = panned(began, shape, cells(mouse.y - gesture.from.y, began.rows(), size.y),
                  cells(mouse.x - gesture.from.x, began.columns(), size.x));
  return true;
}

// Zooms to the numbers around the cell, or from any zoom back to the whole matrix.
CellBlock double_clicked(const CellBlock& region, MapShape shape, MapPlace place) {
  if (region != whole_of(shape)) return whole_of(shape);
  const auto cell = [](double share, Index total) {
    return static_cast<Index>(share * static_cast<double>(total));
  };
  return around(region, shape, cell(place.row, shape.rows), cell(place.column, shape.columns),
                kSelectionCells);
}

}  // namespace

bool map_gestures(MapGesture& gesture, const std::string& name, MapShape shape, ImVec2 at, ImVec2 size,
                  CellBlock& region, bool double_clicks) {
  if (!can_zoom(shape)) return false;
  const bool held = drag_map(gesture, name, shape, size, region);
  if (held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  if (!ImGui::IsItemHovered() || held) return held;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto share = [](float offset, float room) {
    return std::clamp(static_cast<double>(offset) / std::max(1.0, static_cast<double>(room)), 0.0, 1.0);
  };
  const MapPlace place = {share(mouse.y - at.y, size.y), share(mouse.x - at.x, size.x)};
  turn_wheel(gesture, shape, place, region);
  if (double_clicks && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    region = double_clicked(region, shape, place);
  return false;
}

}  // namespace headlight
