// The heads of a stage side by side.
#pragma once

#include <optional>
#include <string>

#include "app/ui/picture/mask_painter.h"
#include "app/ui/widgets/area.h"

namespace headlight {

// The presenter's view: only what explains is drawn, without controls.
struct PresentedView {
  std::optional<Index> head;  // the one that the step speaks of
};

// Draws all shown heads of a stage in a grid that makes them as large as the area allows, probed as
// "<prefix><stage>.h<head>". `large`: with captions, colour bars and zoom, and with mask painting where it is
// on. `one_row`: in a single row, beside something that refers to the rows of all. `presented`: without
// controls, as large as possible, and of several heads only the named one. Returns whether one of them was
// double-clicked.
bool draw_heads(UiContext& ui, HeatmapCache& cache, MaskPainter& painter, Stage stage, const Area& area,
                const std::string& prefix, bool large, bool one_row = false,
                const PresentedView* presented = nullptr);

// The approximate width of a picture's row labels.
float row_labels_width(const UiContext& ui, Stage stage);

// Draws the legend of the marks that occur in a stage's pictures, at the bottom of a high enough area, and
// before it what an automatic range of weights leaves out: a click switches to the whole range and back.
// Returns its height. Probed as "focus.legend.masked" and so on, and "focus.scale".
float legend_below(UiContext& ui, Stage stage, const Area& area);

}  // namespace headlight
