// Rectangles of a grid's cells: the header and the row labels are fixed, the body scrolls beneath them.
#pragma once

#include <imgui.h>

#include "app/figure/plan/heatmap_plan.h"
#include "engine/core/matrix.h"

namespace headlight {

struct GridSizes {  // in window pixels
  float cell_width = 64, row_height = 24, header_height = 20, label_width = 48;
  float bars_width = 0;  // kept free to the right of the cells
};

struct GridLayout {
  Index rows = 0, columns = 0;
  GridSizes sizes;
  ImVec2 view_min, view_max;  // the whole grid on screen, header and labels included
  ImVec2 body_min, body_max;  // the part with cells
  ImVec2 scroll;
  Index first_row = 0, end_row = 0, first_column = 0, end_column = 0;  // at least partly visible

  struct Cell {
    Index row = -1, column = -1;
    bool operator==(const Cell&) const = default;
  };
  // The complete rectangle of a cell, whether it is visible or not.
  Rect cell_rect(Index row, Index column) const;
  // The visible part of it; width or height is 0 if there is none.
  Rect visible_rect(Index row, Index column) const;
  Rect label_rect(Index row) const;      // clipped at the body's top and bottom
  Rect header_rect(Index column) const;  // whole
  // The cell under a point of the body, or -1, -1.
  Cell cell_at(ImVec2 point) const;
  // The cell under a point; for a point outside of the body the nearest cell, at most half a cell beyond the
  // visible part.
  Cell nearest_cell(ImVec2 point) const;
  // The scroll position that makes a cell completely visible, with the least movement.
  ImVec2 scroll_to(Index row, Index column) const;
  ImVec2 content_size() const;
  Index page_rows() const;  // completely visible rows, at least one
};

// `view_max` is where the scroll bars begin.
GridLayout grid_layout(Index rows, Index columns, const GridSizes& sizes, ImVec2 view_min, ImVec2 view_max,
                       ImVec2 scroll);

}  // namespace headlight
