#include "engine/attention/strip_tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/infinity.h"
#include "engine/simd/vector_loops.h"
#include "engine/views/tile_builder.h"

namespace headlight {
namespace {

// For each row of the matrix the row of the tile that it belongs to, or -1.
std::vector<Index> tile_rows_of(Span rows, Index height, Index tokens) {
  std::vector<Index> to(static_cast<std::size_t>(tokens), -1);
  for (Index i = 0; i < height; ++i) {
    const Span block = part(rows, i, height);
    std::fill(to.begin() + block.begin, to.begin() + block.end, i);
  }
  return to;
}

// The largest (or smallest) scaled scores from the bounds of the scores; minus infinity (or infinity) for an
// empty block, whatever the factor.
void scale_ends(const MatrixRef& low, const MatrixRef& high, float factor, bool largest, MatrixOut scaled) {
  const float none = largest ? -kInfinity : kInfinity;
  const MatrixRef& from = largest == (factor >= 0) ? high : low;
  if (factor != 0.0f)
    scaled = from * factor;  // the infinity of an empty block becomes `none`
  else
    scaled.array() =
        (low.array() > high.array()).select(Matrix::Constant(low.rows(), low.cols(), none).array(), 0.0f);
}

// The minimum and maximum of the cells behind each tile cell, and of all cells; infinity and minus infinity
// if no cell counts.
struct TileEnds {
  Matrix least, most;  // as wide and high as the tile; `least` is empty for weights, since it is never drawn
  float lowest = kInfinity, highest = -kInfinity;
};

TileEnds score_ends(const HeadStrips& strips, const PoolRequest& request, float factor, const Matrix& q,
                    const StripRules& rules) {
  const auto pool = strips.pool(request, StripPools::Along::KeysAndQueries, q, rules);
  Matrix low(pool->tile_low.rows(), pool->tile_low.cols()), high = low;
  scale_ends(pool->tile_low, pool->tile_high, factor, false, low);
  scale_ends(pool->tile_low, pool->tile_high, factor, true, high);
  return {low.block(1, 1, request.row_parts, request.column_parts),
          high.block(1, 1, request.row_parts, request.column_parts), low.minCoeff(), high.maxCoeff()};
}

// Of the smallest weights, only the one over all cells is computed.
TileEnds weight_ends(const HeadStrips& strips, const PoolRequest& request, const Matrix& q,
                     const StripRules& rules) {
  const Index queries = q.rows(), across = HeadStrips::width();
  const auto pool = strips.pool(request, StripPools::Along::Keys, q, rules);
  const auto blocks = static_cast<Index>(pool->blocks.size());  // the first and the last only for the range
  const std::vector<Index> to = tile_rows_of(request.rows, request.row_parts, queries);
  Matrix low(1, across), high(blocks, across), high_rows(across, blocks);
  Matrix most = Matrix::Constant(request.row_parts, blocks, -kInfinity);
  TileEnds ends;
  for (Index strip = 0; strip < strips.count(); ++strip) {
    const Index first = strip * across, there = std::min(across, queries - first);
    const Index row = pool->row(strip, 0);
    // The mask hides all keys after the strip's last one.
    const Index behind = rules.band.end(first + across - 1);
    const Index count = request.masked
                            ? std::partition_point(pool->blocks.begin(), pool->blocks.end(),
                                                   [&](Span block) { return block.begin < behind; }) -
                                  pool->blocks.begin()
                            : blocks;
    if (count == 0) continue;
    const auto lows = pool->low.middleRows(row, count), highs = pool->high.middleRows(row, count);
    scale_ends(lows, highs, rules.factor, true, high.topRows(count));
    strips.softmax_rows(strip, count, high.data());
    const Matrix lowest_scores = lows.colwise().minCoeff(), highest_scores = highs.colwise().maxCoeff();
    scale_ends(lowest_scores, highest_scores, rules.factor, false, low);
    const auto none = (low.array() == kInfinity).eval();
    strips.softmax_rows(strip, 1, low.data());
    ends.lowest = std::min(ends.lowest, none.select(kInfinity, low).leftCols(there).minCoeff());
    const bool inside = first < request.rows.end && first + there > request.rows.begin;
    if (!inside || first < request.rows.begin || first + there > request.rows.end)
      ends.highest = std::max(ends.highest, high.topLeftCorner(count, there).maxCoeff());
    if (!inside) continue;
    best_vector_loops().transpose(high.data(), across, count, there, high_rows.data(), blocks);
    for (Index lane = 0; lane < there; ++lane) {
      const Index i = to[static_cast<std::size_t>(first + lane)];
      if (i < 0) continue;
      most.row(i).head(count) = most.row(i).head(count).cwiseMax(high_rows.row(lane).head(count));
    }
  }
  ends.highest = std::max(ends.highest, most.maxCoeff());
  ends.most = most.middleCols(1, request.column_parts);
  return ends;
}

}  // namespace

std::optional<Tile> strip_tile(const TileRequest& request, const HeadStrips& strips, const Matrix& q,
                               const StripRules& rules, Index open_cells) {
  const bool masks = shows_marks(request.stage);
  if (request.pooling == Pooling::Mean || request.spread || request.content != TileContent::Stage ||
      (request.stage == Stage::Dropped && rules.noise))
    return std::nullopt;
  const Index queries = q.rows(), keys = strips.key_count();
  const Span rows = checked_span(request.row_begin, request.row_end, queries, "rows", request.stage);
  const Span columns = checked_span(request.column_begin, request.column_end, keys, "columns", request.stage);
  Tile tile = empty_tile(request, queries, keys, rows, columns);
  const Index height = tile.values.rows(), width = tile.values.cols();
  const bool hides = masks && (!rules.band.all_open(queries, keys) || rules.allowed);
  const PoolRequest pooled = {rows, columns, height, width, hides};
  const bool weighs = request.stage == Stage::Weights || request.stage == Stage::Dropped;
  const TileEnds ends =
      weighs ? weight_ends(strips, pooled, q, rules)
             : score_ends(strips, pooled, request.stage == Stage::Scores ? 1.0f : rules.factor, q, rules);
  // The score of an open cell is infinite.
  if (open_cells > 0 && (ends.lowest == -kInfinity || ends.highest == kInfinity)) return std::nullopt;
  const float masked_value = request.stage == Stage::Masked ? -kInfinity : 0.0f;
  for (Index i = 0; i < height; ++i)
    for (Index j = 0; j < width; ++j) {
      const float above = ends.most(i, j), below = weighs ? above : ends.least(i, j);
      const bool masked = above == -kInfinity;
      const bool takes_low = request.pooling == Pooling::AbsMax && std::abs(below) > std::abs(above);
      tile.values(i, j) = masked ? masked_value : takes_low ? below : above;
      if (masked) tile.marks[static_cast<std::size_t>(i * width + j)] = CellMark::Masked;
    }
  tile.range.finite = masks ? open_cells : queries * keys;
  tile.range.masked = queries * keys - tile.range.finite;
  if (tile.range.finite > 0) {
    tile.range.low = ends.lowest;
    tile.range.high = ends.highest;
  }
  return tile;
}

}  // namespace headlight
