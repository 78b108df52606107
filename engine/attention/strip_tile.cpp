#include "engine/attention/strip_tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/tile_builder.h"
#include "engine/core/vector_loops.h"

namespace headlight {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Which of several rows of a tile each row of the matrix goes to.
std::vector<Index> tile_rows_of(Span rows, Index height, Index tokens) {
  std::vector<Index> to(static_cast<std::size_t>(tokens), -1);
  for (Index i = 0; i < height; ++i) {
    const Span block = part(rows, i, height);
    std::fill(to.begin() + block.begin, to.begin() + block.end, i);
  }
  return to;
}

// The largest, or the least, scaled scores from the ends of scores; minus infinity, or infinity, where there
// is none, of whatever factor.
void scale_ends(const MatrixRef& low, const MatrixRef& high, float factor, bool largest, MatrixOut scaled) {
  const float none = largest ? -kInfinity : kInfinity;
  const MatrixRef& from = largest == (factor >= 0) ? high : low;
  if (factor != 0.0f)
    scaled = from * factor;  // an infinity where there is none becomes the right one
  else
    scaled.array() =
        (low.array() > high.array()).select(Matrix::Constant(low.rows(), low.cols(), none).array(), 0.0f);
}

}  // namespace

std::optional<Tile> strip_tile(const TileRequest& request, const HeadStrips& strips, const Matrix& q,
                               const StripRules& rules, Index open_cells) {
  const bool masks = shows_marks(request.stage);
  if (request.pooling == Pooling::Mean || request.spread || request.content != TileContent::Stage ||
      (request.stage == Stage::Dropped && rules.noise))
    return std::nullopt;
  const Index tokens = q.rows(), across = HeadStrips::width();
  const Span rows = checked_span(request.row_begin, request.row_end, tokens, "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, tokens, "columns", request.stage);
  Tile tile = empty_tile(request, tokens, tokens, rows, columns);
  const Index height = tile.values.rows(), width = tile.values.cols();
  const bool hides = masks && (rules.causal || rules.allowed);
  const auto pool = strips.pool({columns, width, hides}, q, rules);
  const auto blocks = static_cast<Index>(pool->blocks.size());  // the first and the last for the range

  const VectorLoops& loops = best_vector_loops();
  const bool weighs = request.stage == Stage::Weights || request.stage == Stage::Dropped;
  const bool low_by_block = request.pooling == Pooling::AbsMax && stage_info(request.stage).is_signed;
  const float factor = request.stage == Stage::Scores ? 1.0f : rules.factor;
  const std::vector<Index> to = tile_rows_of(rows, height, tokens);
  Matrix low(blocks, across), high = low, low_rows(across, blocks), high_rows = low_rows;
  Matrix least = Matrix::Constant(height, blocks, kInfinity), most = -least;
  float lowest = kInfinity, highest = -kInfinity;
  for (Index strip = 0; strip < strips.count(); ++strip) {
    const Index first = strip * across, there = std::min(across, tokens - first);
    const Index row = pool->row(strip, 0);
    // Behind the strip's own keys the causal mask hides all.
    const Index count = hides && rules.causal
                            ? std::partition_point(pool->blocks.begin(), pool->blocks.end(),
                                                   [&](Span block) { return block.begin < first + across; }) -
                                  pool->blocks.begin()
                            : blocks;
    const auto lows = pool->low.middleRows(row, count), highs = pool->high.middleRows(row, count);
    scale_ends(lows, highs, factor, true, high.topRows(count));
    if (weighs) {
      strips.weigh_rows(strip, count, high.data());
      // Of the least, infinite where there is none, the least of all blocks is enough.
      const Matrix lowest_scores = lows.colwise().minCoeff(), highest_scores = highs.colwise().maxCoeff();
      scale_ends(lowest_scores, highest_scores, factor, false, low.topRows(1));
      const auto none = (low.row(0).array() == kInfinity).eval();
      strips.weigh_rows(strip, 1, low.data());
      low.row(0) = none.select(kInfinity, low.row(0));
    } else {
      scale_ends(lows, highs, factor, false, low.topRows(count));
    }
    lowest = std::min(lowest, low.topLeftCorner(weighs ? 1 : count, there).minCoeff());
    const bool inside = first < rows.end && first + there > rows.begin;
    if (!inside || first < rows.begin || first + there > rows.end)
      highest = std::max(highest, high.topLeftCorner(count, there).maxCoeff());
    if (!inside) continue;
    if (low_by_block) loops.transpose(low.data(), across, count, there, low_rows.data(), blocks);
    loops.transpose(high.data(), across, count, there, high_rows.data(), blocks);
    for (Index lane = 0; lane < there; ++lane) {
      const Index i = to[static_cast<std::size_t>(first + lane)];
      if (i < 0) continue;
      if (low_by_block)
        least.row(i).head(count) = least.row(i).head(count).cwiseMin(low_rows.row(lane).head(count));
      most.row(i).head(count) = most.row(i).head(count).cwiseMax(high_rows.row(lane).head(count));
    }
  }
  highest = std::max(highest, most.maxCoeff());
  // An infinite score that may be attended to.
  if (open_cells > 0 && (lowest == -kInfinity || highest == kInfinity)) return std::nullopt;
  const float masked_value = request.stage == Stage::Masked ? -kInfinity : 0.0f;
  for (Index i = 0; i < height; ++i)
    for (Index j = 0; j < width; ++j) {
      const float below = least(i, j + 1), above = most(i, j + 1);
      const bool masked = above == -kInfinity;
      const bool takes_low = low_by_block && std::abs(below) > std::abs(above);
      tile.values(i, j) = masked ? masked_value : takes_low ? below : above;
      if (masked) tile.marks[static_cast<std::size_t>(i * width + j)] = CellMark::Masked;
    }
  tile.range.finite = masks ? open_cells : tokens * tokens;
  tile.range.masked = tokens * tokens - tile.range.finite;
  if (tile.range.finite > 0) {
    tile.range.low = lowest;
    tile.range.high = highest;
  }
  return tile;
}

}  // namespace headlight
