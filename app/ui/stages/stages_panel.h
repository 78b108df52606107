// The centre: the chosen stage at large.
#pragma once

#include "app/ui/context/ui_context.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/mask_painter.h"
#include "app/ui/views/color_panel.h"
#include "app/ui/views/dropout_play.h"
#include "app/ui/views/flow_view.h"
#include "app/ui/views/row_view.h"
#include "app/ui/views/vectors_view.h"

namespace headlight {

struct StagesPanelState {
  HeatmapCache cache;
  MaskPainter painter;
  DropoutPlay play;
  FlowViewState flow;
  RowViewState row;
  ColorPanelState colors;
  VectorsViewState vectors;
  ModelPagesState model;
  bool table_asked = false;             // of the heads, in this frame
  bool by_head = false;                 // `output` at large as what each head adds
  bool was_active = false;              // an item had the mouse or the keyboard in the last frame
  std::optional<CellAddress> followed;  // by what is in sight of the large heatmaps
};

// Draws into the region that is left. Its pictures are probed as "focus.<name>.h<head>".
void stages_panel(UiContext& ui, StagesPanelState& state);

}  // namespace headlight
