// Builds tiles: a part of a matrix, pooled to a limited number of values.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/views/query.h"
#include "engine/views/span.h"
#include "engine/views/value_spread.h"

namespace headlight {

// The requested span; an end of 0 means to the end. Throws Error if it lies outside 0 to `total`.
Span checked_span(Index begin, Index end, Index total, const char* what, Stage stage);

// The part of `span` that is pooled into cell `index` of `cells`; never empty.
inline Span part(Span span, Index index, Index cells) {
  return {span.begin + span.size() * index / cells, span.begin + span.size() * (index + 1) / cells};
}

// Whether the cell has no number: it is masked or empty, or it appeared or vanished and is not finite.
inline bool has_no_number(float value, CellMark mark) {
  const bool appeared_or_vanished = mark == CellMark::Appeared || mark == CellMark::Vanished;
  return mark == CellMark::Masked || mark == CellMark::Empty ||
         (appeared_or_vanished && !std::isfinite(value));
}

// Pools several cells into one. If one is NaN the result is NaN, so that it is never hidden.
class Pool {
 public:
  explicit Pool(Pooling how) : how_(how) {}

  void add(float value, CellMark mark) {
    ++marks_[static_cast<std::size_t>(mark)];
    if (has_no_number(value, mark)) return;
    if (std::isnan(value)) nan_ = true;
    sum_ += value;
    const bool better = how_ == Pooling::AbsMax ? std::abs(value) > std::abs(best_) : value > best_;
    if (count_++ == 0 || better) best_ = value;
  }
  bool empty() const { return count_ == 0; }  // no cell has a number
  float value() const {
    if (nan_) return std::numeric_limits<float>::quiet_NaN();
    if (count_ == 0) return 0.0f;
    return how_ == Pooling::Mean ? static_cast<float>(sum_ / static_cast<double>(count_)) : best_;
  }
  CellMark mark() const {
    const auto marked = [this](CellMark mark) { return marks_[static_cast<std::size_t>(mark)]; };
    if (marked(CellMark::None) > 0) return CellMark::None;
    if (marked(CellMark::Appeared) + marked(CellMark::Vanished) > 0)
      return marked(CellMark::Appeared) >= marked(CellMark::Vanished) ? CellMark::Appeared
                                                                      : CellMark::Vanished;
    if (count_ > 0) return CellMark::Dropped;
    return marked(CellMark::Masked) > 0 ? CellMark::Masked : CellMark::Empty;
  }

 private:
  Pooling how_;
  double sum_ = 0;
  float best_ = 0;
  Index count_ = 0;
  bool nan_ = false;
  std::array<Index, kCellMarkCount> marks_{};
};

inline void count_cell(ValueRange& range, float value, CellMark mark) {
  if (mark == CellMark::Masked) ++range.masked;
  if (mark == CellMark::Dropped) ++range.dropped;
  if (mark == CellMark::Appeared) ++range.appeared;
  if (mark == CellMark::Vanished) ++range.vanished;
  if (has_no_number(value, mark)) return;
  if (std::isnan(value)) {
    ++range.nan;
  } else if (std::isinf(value)) {
    ++range.infinite;
  } else {
    range.low = range.finite == 0 ? value : std::min(range.low, value);
    range.high = range.finite == 0 ? value : std::max(range.high, value);
    ++range.finite;
  }
}

// A tile of the size that `request` specifies, without its numbers.
inline Tile empty_tile(const TileRequest& request, Index total_rows, Index total_columns, Span rows,
                       Span columns) {
  Tile tile;
  tile.request = request;
  tile.request.row_end = rows.end;
  tile.request.column_end = columns.end;
  tile.total_rows = total_rows;
  tile.total_columns = total_columns;
  const Index height = std::min(rows.size(), std::max<Index>(request.max_rows, 1));
  const Index width = std::min(columns.size(), std::max<Index>(request.max_columns, 1));
  tile.pooled = height < rows.size() || width < columns.size();
  tile.values.resize(height, width);
  tile.marks.assign(static_cast<std::size_t>(height * width), CellMark::None);
  return tile;
}

// The tile of `whole` for `request`; `mark_at(row, column)` returns the marks of cells. Throws Error if the
// requested part lies outside the matrix.
template <class MarkAt>
Tile build_tile(const TileRequest& request, const Matrix& whole, MarkAt mark_at) {
  const Span rows = checked_span(request.row_begin, request.row_end, whole.rows(), "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, whole.cols(), "columns", request.stage);
  Tile tile = empty_tile(request, whole.rows(), whole.cols(), rows, columns);
  for (Index r = 0; r < whole.rows(); ++r)
    for (Index c = 0; c < whole.cols(); ++c)
      count_cell(tile.range, whole(r, c), mark_at(r, c));
  if (request.spread)
    tile.spread = spread_of(whole, std::clamp<Index>(request.spread_begin, 0, whole.cols()), mark_at);

  const Index height = tile.values.rows(), width = tile.values.cols();
  for (Index i = 0; i < height; ++i) {
    const Span block_rows = part(rows, i, height);
    for (Index j = 0; j < width; ++j) {
      const Span block_columns = part(columns, j, width);
      Pool pool(request.pooling);
      for (Index r = block_rows.begin; r < block_rows.end; ++r)
        for (Index c = block_columns.begin; c < block_columns.end; ++c)
          pool.add(whole(r, c), mark_at(r, c));
      tile.marks[static_cast<std::size_t>(i * width + j)] = pool.mark();
      // A cell without a number has the original value: minus infinity, or a weight of zero.
      tile.values(i, j) = pool.empty() ? whole(block_rows.begin, block_columns.begin) : pool.value();
    }
  }
  return tile;
}

}  // namespace headlight
