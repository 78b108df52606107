// Looking at the large heatmaps like at a map: what of them is in sight, and what wheel, drags and keys do to
// that. Stages with the same axes share their region.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"

namespace headlight {

// The stage that is drawn large.
Stage large_stage(const ViewState& view);
MapShape stage_shape(const Model& model, Stage stage);

// What is in sight of the stage.
CellBlock region_of(const ViewState& view, const Model& model, Stage stage);
CellBlock region_of(const UiContext& ui, Stage stage);
bool is_zoomed(const UiContext& ui, Stage stage);
void show_region(UiContext& ui, Stage stage, const CellBlock& region);

// These change what is in sight of the large stage; by steps of the wheel about the selected cell, or about
// the middle when it is not in sight.
void zoom_by_steps(UiContext& ui, double steps);
void zoom_to_selection(UiContext& ui);
void show_everything(UiContext& ui);
bool can_zoom_large(const UiContext& ui);
bool can_zoom_to_selection(const UiContext& ui);
bool is_large_zoomed(const UiContext& ui);
// Of a whole model: asks to overwrite the selected number of the layer that is shown.
void ask_to_overwrite(UiContext& ui);
bool can_overwrite(const UiContext& ui);

// Moves what is in sight of the large stage to the cell that was selected since the last call.
void follow_selection(UiContext& ui, std::optional<CellAddress>& followed);

// What the pointer is doing to the pictures. Owner: the stages panel.
struct MapGesture {
  std::string dragged;            // name of the picture that is held; "": none
  ImVec2 from{};                  // where it was taken
  CellBlock region;               // that was in sight then
  double zoom = 0, pan_rows = 0;  // turned by the wheel, and not yet worth a cell
  double pan_columns = 0;
};

// Wheel, drags and double click on the picture that is ImGui's last item; its cells lie from `at` on.
// Returns whether the pointer belongs to the map: it points at no cell then.
bool map_gestures(UiContext& ui, MapGesture& gesture, const std::string& name, Stage stage, ImVec2 at,
                  ImVec2 size);
// What the right button on a picture offers.
void map_menu(UiContext& ui, const std::string& picture, bool hovered);

}  // namespace headlight
