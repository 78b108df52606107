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

}  // namespace

std::optional<Tile> strip_tile(const TileRequest& request, const HeadStrips& strips, const StripRules& rules,
                               Index tokens, Index open_cells) {
  const bool masks = shows_marks(request.stage);
  if (request.pooling == Pooling::Mean || request.spread || request.content != TileContent::Stage ||
      (request.stage == Stage::Dropped && rules.noise) || (rules.causal && !masks))
    return std::nullopt;
  const Span rows = checked_span(request.row_begin, request.row_end, tokens, "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, tokens, "columns", request.stage);
  Tile tile = empty_tile(request, tokens, tokens, rows, columns);
  const Index height = tile.values.rows(), width = tile.values.cols(), across = HeadStrips::width();
  std::vector<Span> blocks = {{0, columns.begin}};  // the first and the last for the range of the whole
  for (Index j = 0; j < width; ++j)
    blocks.push_back(part(columns, j, width));
  blocks.push_back({columns.end, tokens});

  const VectorLoops& loops = best_vector_loops();
  const bool low_by_block = request.pooling == Pooling::AbsMax && (stage_info(request.stage).is_signed);
  const std::vector<Index> to = tile_rows_of(rows, height, tokens);
  const auto block_count = static_cast<Index>(blocks.size());
  Matrix low(block_count, across), high = low, low_rows(across, block_count), high_rows = low_rows;
  Matrix least = Matrix::Constant(height, block_count, kInfinity), most = -least;
  float lowest = kInfinity, highest = -kInfinity;
  for (Index strip = 0; strip < strips.count(); ++strip) {
    const Index first = strip * across, there = std::min(across, tokens - first);
    const Index count = strips.ends(request.stage, strip, blocks, rules, low_by_block, low, high);
    lowest = std::min(lowest, low.topLeftCorner(low_by_block ? count : 1, there).minCoeff());
    const bool inside = first < rows.end && first + there > rows.begin;
    if (!inside || first < rows.begin || first + there > rows.end)
      highest = std::max(highest, high.topLeftCorner(count, there).maxCoeff());
    if (!inside) continue;
    if (low_by_block) loops.transpose(low.data(), across, count, there, low_rows.data(), block_count);
    loops.transpose(high.data(), across, count, there, high_rows.data(), block_count);
    for (Index row = 0; row < there; ++row) {
      const Index i = to[static_cast<std::size_t>(first + row)];
      if (i < 0) continue;
      if (low_by_block)
        least.row(i).head(count) = least.row(i).head(count).cwiseMin(low_rows.row(row).head(count));
      most.row(i).head(count) = most.row(i).head(count).cwiseMax(high_rows.row(row).head(count));
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
