// Zooming and panning a picture of a matrix like a map: what the wheel, drags and a double click do to its
// visible region.
#pragma once

#include <string>

#include <imgui.h>

#include "app/ui/context/map_region.h"

namespace headlight {

inline constexpr double kZoomStep = 1.25;  // how much larger cells are after a step of the wheel

// The running pointer gesture on the pictures that share it.
struct MapGesture {
  std::string dragged;            // name of the dragged picture; "": none
  ImVec2 from{};                  // pointer position when the drag began
  CellBlock region;               // the visible region when the drag began
  double zoom = 0, pan_rows = 0;  // wheel movement that is not yet a whole cell
  double pan_columns = 0;
};

// Handles wheel, drags with the middle button or with Space, and double clicks where they are wanted, on the
// picture `name` that is ImGui's last item; its cells begin at `at`. Changes the region, which is
// whole_of(shape) or a part. Returns whether the picture is being dragged: the pointer then hovers no cell.
bool map_gestures(MapGesture& gesture, const std::string& name, MapShape shape, ImVec2 at, ImVec2 size,
                  CellBlock& region, bool double_clicks = true);

}  // namespace headlight
