#include "app/ui/inputs/grid_layout.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

Index clamp_index(double at, Index count) {
  return std::clamp<Index>(static_cast<Index>(at), 0, count);
}

Rect cut(Rect rect, ImVec2 min, ImVec2 max) {
  const double x = std::max<double>(rect.x, min.x), y = std::max<double>(rect.y, min.y);
  const double width = std::min<double>(rect.right(), max.x) - x;
  const double height = std::min<double>(rect.bottom(), max.y) - y;
  if (width <= 0 || height <= 0) return {x, y, 0, 0};
  return {x, y, width, height};
}

// The scroll position nearest to `scroll` at which [begin, end) lies within a view of length `view`.
float scroll_into(float scroll, float view, float begin, float end) {
  if (end > scroll + view) scroll = end - view;
  return std::min(scroll, begin);
}

}  // namespace

GridLayout grid_layout(Index rows, Index columns, const GridSizes& sizes, ImVec2 view_min, ImVec2 view_max,
                       ImVec2 scroll) {
  GridLayout layout;
  layout.rows = rows;
  layout.columns = columns;
  layout.sizes = sizes;
  layout.view_min = view_min;
  layout.view_max = view_max;
  layout.scroll = scroll;
  layout.body_min = {view_min.x + sizes.label_width, view_min.y + sizes.header_height};
  layout.body_max = {
      std::min(view_max.x - sizes.bars_width,
               layout.body_min.x + static_cast<float>(columns) * sizes.cell_width - scroll.x),
      std::min(view_max.y, layout.body_min.y + static_cast<float>(rows) * sizes.row_height - scroll.y)};
  const float width = layout.body_max.x - layout.body_min.x;
  const float height = layout.body_max.y - layout.body_min.y;
  if (width <= 0 || height <= 0) return layout;
  layout.first_row = clamp_index(std::floor(scroll.y / sizes.row_height), rows);
  layout.end_row = clamp_index(std::ceil((scroll.y + height) / sizes.row_height), rows);
  layout.first_column = clamp_index(std::floor(scroll.x / sizes.cell_width), columns);
  layout.end_column = clamp_index(std::ceil((scroll.x + width) / sizes.cell_width), columns);
  return layout;
}

Rect GridLayout::cell_rect(Index row, Index column) const {
  return {body_min.x - scroll.x + static_cast<double>(column) * sizes.cell_width,
          body_min.y - scroll.y + static_cast<double>(row) * sizes.row_height, sizes.cell_width,
          sizes.row_height};
}

Rect GridLayout::visible_rect(Index row, Index column) const {
  return cut(cell_rect(row, column), body_min, body_max);
}

Rect GridLayout::label_rect(Index row) const {
  Rect rect = cell_rect(row, 0);
  rect.x = view_min.x;
  rect.width = sizes.label_width;
  return cut(rect, {view_min.x, body_min.y}, {body_min.x, body_max.y});
}

Rect GridLayout::header_rect(Index column) const {
  Rect rect = cell_rect(0, column);
  rect.y = view_min.y;
  rect.height = sizes.header_height;
  return rect;
}

GridLayout::Cell GridLayout::cell_at(ImVec2 point) const {
  if (point.x < body_min.x || point.y < body_min.y || point.x >= body_max.x || point.y >= body_max.y)
    return {};
  return {clamp_index((point.y - body_min.y + scroll.y) / sizes.row_height, rows - 1),
          clamp_index((point.x - body_min.x + scroll.x) / sizes.cell_width, columns - 1)};
}

GridLayout::Cell GridLayout::nearest_cell(ImVec2 point) const {
  const auto along = [](float at, float begin, float end, float moved, float size, Index count) {
    // Half a cell beyond the edge at most, so that dragging outside extends the selection one cell at a time.
    const float inside = std::max(begin - size / 2, std::min(at, end + size / 2));
    return std::clamp<Index>(static_cast<Index>(std::floor((inside - begin + moved) / size)), 0, count - 1);
  };
  return {along(point.y, body_min.y, body_max.y, scroll.y, sizes.row_height, rows),
          along(point.x, body_min.x, body_max.x, scroll.x, sizes.cell_width, columns)};
}

ImVec2 GridLayout::scroll_to(Index row, Index column) const {
  const float left = static_cast<float>(column) * sizes.cell_width;
  const float top = static_cast<float>(row) * sizes.row_height;
  return {scroll_into(scroll.x, view_max.x - sizes.bars_width - body_min.x, left, left + sizes.cell_width),
          scroll_into(scroll.y, view_max.y - body_min.y, top, top + sizes.row_height)};
}

ImVec2 GridLayout::content_size() const {
  return {sizes.label_width + static_cast<float>(columns) * sizes.cell_width + sizes.bars_width,
          sizes.header_height + static_cast<float>(rows) * sizes.row_height};
}

Index GridLayout::page_rows() const {
  return std::max<Index>(1, static_cast<Index>((body_max.y - body_min.y) / sizes.row_height));
}

}  // namespace headlight
