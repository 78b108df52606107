#include "app/ui/picture/cell_outline.h"

#include <algorithm>

namespace headlight {

void outline_cells(const UiContext& ui, const HeatmapPlan& plan, const LinkedCells& shown, ImVec2 origin,
                   double alpha, Mark mark) {
  const Index rows = plan.cells.rows, columns = plan.cells.columns;
  if (rows == 0 || columns == 0 || (shown.row < 0 && shown.column < 0)) return;
  const Rect first = plan.cell_rect(std::max<Index>(shown.row, 0), std::max<Index>(shown.column, 0));
  const Rect last =
      plan.cell_rect(shown.row < 0 ? rows - 1 : shown.row, shown.column < 0 ? columns - 1 : shown.column);
  ImVec2 low = {origin.x + static_cast<float>(first.x), origin.y + static_cast<float>(first.y)};
  ImVec2 high = {origin.x + static_cast<float>(last.right()), origin.y + static_cast<float>(last.bottom())};
  // Widened around a cell of a pixel or two, which the line itself would cover.
  const float least = ui.theme.px(6);
  const auto widen = [least](float& begin, float& end) {
    const float missing = std::max(least - (end - begin), 0.0f);
    begin -= missing / 2;
    end += missing / 2;
  };
  widen(low.x, high.x);
  widen(low.y, high.y);
  draw_mark(ui, mark, low, high, alpha);
}

}  // namespace headlight
