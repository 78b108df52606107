#include "engine/attention/plain_tile.h"

#include <algorithm>
#include <cmath>

#include "engine/attention/tile_builder.h"

namespace headlight {
namespace {

using Row = Eigen::Array<float, 1, Eigen::Dynamic>;

// False when a cell that is not masked is not finite.
bool count_range(const Matrix& whole, const std::function<Index(Index)>& open, ValueRange& range) {
  for (Index r = 0; r < whole.rows(); ++r) {
    const Index count = open(r);
    range.masked += whole.cols() - count;
    if (count == 0) continue;
    const auto cells = whole.row(r).head(count).array();
    // The difference of a number with itself is 0 unless it is infinite or NaN.
    if ((cells - cells).sum() != 0.0f) return false;
    const float low = cells.minCoeff(), high = cells.maxCoeff();
    range.low = range.finite == 0 ? low : std::min(range.low, low);
    range.high = range.finite == 0 ? high : std::max(range.high, high);
    range.finite += count;
  }
  return true;
}

// Of each column the number farthest from zero among `rows`, as far as they are open; 0 where none is.
void farthest_by_column(const Matrix& whole, Span rows, Span columns, const std::function<Index(Index)>& open,
                        Row& farthest) {
  farthest.setZero(columns.size());
  for (Index r = rows.begin; r < rows.end; ++r) {
    const Index count = std::clamp<Index>(open(r) - columns.begin, 0, columns.size());
    const auto cells = whole.row(r).segment(columns.begin, count).array();
    farthest.head(count) = (cells.abs() > farthest.head(count).abs()).select(cells, farthest.head(count));
  }
}

float farthest_of(const Row& cells, Index begin, Index end) {
  float farthest = cells(begin);
  for (Index i = begin + 1; i < end; ++i)
    if (std::abs(cells(i)) > std::abs(farthest)) farthest = cells(i);
  return farthest;
}

}  // namespace

std::optional<Tile> plain_tile(const TileRequest& request, const Matrix& whole,
                               const std::function<Index(Index)>& open) {
  if (request.pooling != Pooling::AbsMax || request.spread) return std::nullopt;
  const Span rows = checked_span(request.row_begin, request.row_end, whole.rows(), "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, whole.cols(), "columns", request.stage);
  Tile tile;
  if (!count_range(whole, open, tile.range)) return std::nullopt;
  tile.request = request;
  tile.request.row_end = rows.end;
  tile.request.column_end = columns.end;
  tile.total_rows = whole.rows();
  tile.total_columns = whole.cols();
  const Index height = std::min(rows.size(), std::max<Index>(request.max_rows, 1));
  const Index width = std::min(columns.size(), std::max<Index>(request.max_columns, 1));
  tile.pooled = height < rows.size() || width < columns.size();
  tile.values.resize(height, width);
  tile.marks.assign(static_cast<std::size_t>(height * width), CellMark::None);
  Row farthest;
  for (Index i = 0; i < height; ++i) {
    const Span block_rows = part(rows, i, height);
    farthest_by_column(whole, block_rows, columns, open, farthest);
    const Index open_end = open(block_rows.end - 1);
    for (Index j = 0; j < width; ++j) {
      const Span block = part(columns, j, width);
      if (block.begin < open_end) {
        tile.values(i, j) = farthest_of(farthest, block.begin - columns.begin, block.end - columns.begin);
      } else {
        tile.values(i, j) = whole(block_rows.begin, block.begin);
        tile.marks[static_cast<std::size_t>(i * width + j)] = CellMark::Masked;
      }
    }
  }
  return tile;
}

}  // namespace headlight
