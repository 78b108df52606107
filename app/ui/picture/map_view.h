// Zooming and panning the large heatmaps like a map: the visible region, and the wheel, drags and keys that
// change it. Stages with the same axes share their region.
#pragma once

#include <string>
#include <vector>

#include <imgui.h>

#include "app/ui/context/ui_context.h"
#include "app/ui/widgets/map_gestures.h"

namespace headlight {

// The stage that is drawn large.
Stage large_stage(const ViewState& view);
MapShape stage_shape(const Layer& layer, Stage stage);

// The visible region of the stage.
CellBlock region_of(const ViewState& view, const Layer& layer, Stage stage);
CellBlock region_of(const UiContext& ui, Stage stage);
bool is_zoomed(const UiContext& ui, Stage stage);
void show_region(UiContext& ui, Stage stage, const CellBlock& region);

// These change the visible region of the large stage. Steps of the wheel zoom about the selected cell, or
// about the middle if no cell of the stage is selected.
void zoom_by_steps(UiContext& ui, double steps);
void zoom_to_selection(UiContext& ui);
void show_everything(UiContext& ui);
bool can_zoom_large(const UiContext& ui);
bool can_zoom_to_selection(const UiContext& ui);
bool is_large_zoomed(const UiContext& ui);
// For a whole model: requests the dialog that overwrites the selected number of the shown layer.
void ask_to_overwrite(UiContext& ui);
bool can_overwrite(const UiContext& ui);

// Moves the visible region of the large stage to a cell that was selected since the last call.
void follow_selection(UiContext& ui, std::optional<CellAddress>& followed);

// Of a picture of a stage, whose region it changes. gesture: of all of them; its owner is the stages panel.
bool map_gestures(UiContext& ui, MapGesture& gesture, const std::string& name, Stage stage, ImVec2 at,
                  ImVec2 size);
// The context menu of a picture.
void map_menu(UiContext& ui, const std::string& picture, bool hovered);

}  // namespace headlight
