// The panel in the centre: the chosen stage drawn large.
#pragma once

#include "app/ui/context/ui_context.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/picture/heatmap_view.h"
#include "app/ui/picture/mask_painter.h"
#include "app/ui/picture/picture_change.h"
#include "app/ui/views/color_panel.h"
#include "app/ui/views/dropout_play.h"
#include "app/ui/views/flow_view.h"
#include "app/ui/views/heads_grid.h"
#include "app/ui/views/motion_player.h"
#include "app/ui/views/row_view.h"
#include "app/ui/views/vectors_view.h"
#include "app/ui/widgets/area.h"

namespace headlight {

struct StagesPanelState {
  HeatmapCache cache;
  MaskPainter painter;
  DropoutPlay play;
  MotionPlayer motion;
  PictureChange change;
  std::size_t step = 0;  // of the lesson that is read; set before the panel is drawn
  FlowViewState flow;
  RowViewState row;
  ColorPanelState colors;
  VectorsViewState vectors;
  ModelPagesState model;
  bool table_asked = false;                // the table of heads was requested in this frame
  bool by_head = false;                    // `output` is shown as the contribution of each head
  bool was_active = false;                 // an item was active in the last frame
  std::optional<PresentedView> presented;  // set while the presenter's view is drawn
  std::optional<CellAddress> followed;     // the visible region of the large heatmaps last moved to it
};

// Draws the chosen stage. Pictures are probed as "focus.<name>.h<head>".
void stages_panel(UiContext& ui, StagesPanelState& state, const Area& all);
// Draws into the remaining region of the window.
void stages_panel(UiContext& ui, StagesPanelState& state);

}  // namespace headlight
