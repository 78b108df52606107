#include "app/ui/context/map_region.h"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

struct Span {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
};

Index least_size(Index total) {
  return total <= kAlwaysWhole ? total : kLeastCells;
}

Span placed(Index begin, Index size, Index total) {
  size = std::clamp(size, least_size(total), total);
  begin = std::clamp<Index>(begin, 0, total - size);
  return {begin, begin + size};
}

Span zoomed(Span span, Index total, double factor, double fixed) {
  const double share = std::clamp(fixed, 0.0, 1.0);
  const auto size_before = static_cast<double>(span.size());
  const Index size =
      std::clamp(static_cast<Index>(std::lround(size_before / factor)), least_size(total), total);
  // The cell at the fixed place, and the number of cells of the new span that lie before that place.
  const Index cell = span.begin + std::min(static_cast<Index>(share * size_before), span.size() - 1);
  const Index before = std::min(static_cast<Index>(share * static_cast<double>(size)), size - 1);
  return placed(cell - before, size, total);
}

Span following(Span span, Index total, Index cell) {
  if (cell < 0) return span;
  // One more cell than the cell itself, so that its neighbour is visible as well.
  const Index margin = std::min<Index>(1, (span.size() - 1) / 2);
  const Index begin =
      std::clamp(span.begin, cell + margin + 1 - span.size(), std::max<Index>(cell - margin, 0));
  return placed(begin, span.size(), total);
}

Span rows_of(const CellBlock& block) {
  return {block.row, block.row_end};
}
Span columns_of(const CellBlock& block) {
  return {block.column, block.column_end};
}
CellBlock block_of(Span rows, Span columns) {
  return {rows.begin, rows.end, columns.begin, columns.end};
}

}  // namespace

bool can_zoom(MapShape shape) {
  return std::max(shape.rows, shape.columns) > kAlwaysWhole;
}

CellBlock whole_of(MapShape shape) {
  return {0, shape.rows, 0, shape.columns};
}

CellBlock fitted(const CellBlock& region, MapShape shape) {
  if (region.empty()) return whole_of(shape);
  return block_of(placed(region.row, region.rows(), shape.rows),
                  placed(region.column, region.columns(), shape.columns));
}

CellBlock zoomed(const CellBlock& region, MapShape shape, double factor, MapPlace fixed) {
  return block_of(zoomed(rows_of(region), shape.rows, factor, fixed.row),
                  zoomed(columns_of(region), shape.columns, factor, fixed.column));
}

CellBlock panned(const CellBlock& region, MapShape shape, Index rows, Index columns) {
  return block_of(placed(region.row + rows, region.rows(), shape.rows),
                  placed(region.column + columns, region.columns(), shape.columns));
}

CellBlock following(const CellBlock& region, MapShape shape, Index row, Index column) {
  return block_of(following(rows_of(region), shape.rows, row),
                  following(columns_of(region), shape.columns, column));
}

CellBlock around(const CellBlock& region, MapShape shape, Index row, Index column, Index cells) {
  const Index middle_row = row >= 0 ? row : (region.row + region.row_end) / 2;
  const Index middle_column = column >= 0 ? column : (region.column + region.column_end) / 2;
  return block_of(placed(middle_row - cells / 2, cells, shape.rows),
                  placed(middle_column - cells / 2, cells, shape.columns));
}

}  // namespace headlight
