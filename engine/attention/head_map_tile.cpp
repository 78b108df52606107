// Tiles and rows of a head that is stored as a map.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/head_map.h"
#include "engine/attention/infinity.h"
#include "engine/core/parallel.h"
#include "engine/simd/vector_loops.h"
#include "engine/views/plain_tile.h"
#include "engine/views/tile_builder.h"

namespace headlight {
namespace {

// The blocks nearest to the cells; at least one.
Span blocks_of(Span cells, Index count) {
  const auto nearest = [](Index cell) { return (cell + HeadMap::kBlock / 2) / HeadMap::kBlock; };
  const Index begin = std::min(nearest(cells.begin), count - 1);
  return {begin, std::clamp(nearest(cells.end), begin + 1, count)};
}

}  // namespace

// The range of the stage's numbers in the surveyed bands.
ValueRange HeadMap::range_of(Stage stage, const StripRules& rules) const {
  const Index tokens = panels_.key_count(), cells = tokens * tokens;
  const bool weights = stage == Stage::Weights || stage == Stage::Dropped;
  const bool masks = shows_marks(stage);
  ValueRange range;
  float least = kInfinity, most = -kInfinity;
  for (Index band = 0; band < bands(); ++band) {
    if (!surveyed(band)) continue;
    const BandRange& part = ranges_[static_cast<std::size_t>(band)];
    least = std::min(least, weights ? part.least_weight : masks ? part.open_low : part.low);
    most = std::max(most, weights ? part.largest_weight : masks ? part.open_high : part.high);
    if (masks) range.masked += part.masked;
  }
  if (masks && rules.causal()) range.masked = cells - tokens * (tokens + 1) / 2;
  range.finite = cells - range.masked;
  if (range.finite == 0) return range;
  const float factor = weights || stage == Stage::Scores ? 1.0f : rules.factor;
  const auto [low, high] = std::minmax({least * factor, most * factor});
  range.low = low;
  range.high = high;
  return range;
}

// The surveyed rows of blocks among `rows`, or the nearest one if there is none.
std::vector<Index> HeadMap::surveyed_rows(Span rows) const {
  const Index per_band = band_rows() / kBlock, last = all_.low.rows() - 1;
  const auto there = [&](Index row) { return row >= 0 && row <= last && surveyed(row / per_band); };
  std::vector<Index> found;
  for (Index row = rows.begin; row < rows.end; ++row)
    if (there(row)) found.push_back(row);
  for (Index away = 1; found.empty() && away <= last; ++away)
    for (const Index row : {rows.begin - away, rows.end - 1 + away})
      if (found.empty() && there(row)) found.push_back(row);
  return found;
}

// Several rows of blocks joined into one: minimum, maximum and sum for each block of keys.
struct HeadMap::Line {
  explicit Line(Index side)
      : low(Eigen::RowVectorXf::Constant(side, kInfinity)), high(-low), sum(Eigen::RowVectorXf::Zero(side)) {}

  Eigen::RowVectorXf low, high, sum;  // `low` is unused for weights
};

HeadMap::Line HeadMap::joined_lines(const std::vector<Index>& lines, Stage stage,
                                    const StripRules& rules) const {
  const Index side = all_.low.rows();
  const bool weights = stage == Stage::Weights || stage == Stage::Dropped;
  Line joined(side);
  for (const Index line : lines) {
    const auto add = [&](const Grid& from, Index begin, Index count) {
      auto low = joined.low.segment(begin, count), high = joined.high.segment(begin, count);
      if (!weights) low = low.cwiseMin(from.low.row(line).segment(begin, count));
      high = high.cwiseMax(from.high.row(line).segment(begin, count));
      joined.sum.segment(begin, count) += from.sum.row(line).segment(begin, count);
    };
    const Index own = stage == Stage::Masked ? std::min(open_from(line, rules), side) : side;
    add(weights ? weights_ : all_, 0, own);
    add(open_, own, side - own);
  }
  return joined;
}

void HeadMap::fill_tile_row(Index i, Span rows, Span columns, const StripRules& rules, Tile& tile) const {
  const Index side = all_.low.rows(), width = tile.values.cols();
  const TileRequest& request = tile.request;
  const bool weights = request.stage == Stage::Weights || request.stage == Stage::Dropped;
  const float factor = weights || request.stage == Stage::Scores ? 1.0f : rules.factor;
  const std::vector<Index> lines = surveyed_rows(blocks_of(part(rows, i, tile.values.rows()), side));
  const Line joined = joined_lines(lines, request.stage, rules);
  for (Index j = 0; j < width; ++j) {
    const Span blocks = blocks_of(part(columns, j, width), side);
    const float most = joined.high.segment(blocks.begin, blocks.size()).maxCoeff();
    float& value = tile.values(i, j);
    if (most == -kInfinity) {
      value = request.stage == Stage::Masked ? -kInfinity : 0.0f;
      tile.marks[static_cast<std::size_t>(i * width + j)] = CellMark::Masked;
      continue;
    }
    if (request.pooling == Pooling::Mean) {
      double cells = 0;
      for (const Index line : lines)
        cells += open_cells(line, blocks, shows_marks(request.stage) ? rules : StripRules{});
      const double sum = joined.sum.segment(blocks.begin, blocks.size()).cast<double>().sum();
      value = factor * static_cast<float>(sum / cells);
      continue;
    }
    const float least = weights ? most : joined.low.segment(blocks.begin, blocks.size()).minCoeff();
    const auto [below, above] = std::minmax({least * factor, most * factor});
    value = request.pooling == Pooling::AbsMax && std::abs(below) > std::abs(above) ? below : above;
  }
}

Tile HeadMap::map_tile(const TileRequest& request, Span rows, Span columns, const StripRules& rules) const {
  Tile tile = empty_tile(request, panels_.key_count(), panels_.key_count(), rows, columns);
  const Index blocks = rows.size() / kBlock * all_.low.rows();
  for_each_index(tile.values.rows(), static_cast<double>(blocks),
                 [&](Index i) { fill_tile_row(i, rows, columns, rules, tile); });
  tile.range = range_of(request.stage, rules);
  return tile;
}

// How many cells of the blocks in row `line` of the map may be attended to.
double HeadMap::open_cells(Index line, Span blocks, const StripRules& rules) const {
  const Index tokens = panels_.key_count(), end = std::min(blocks.end * kBlock, tokens);
  const Index begin = blocks.begin * kBlock;
  Index count = 0;
  for (Index row = line * kBlock; row < std::min((line + 1) * kBlock, tokens); ++row) {
    if (rules.allowed)
      count += (rules.allowed->row(row).segment(begin, end - begin).array() != 0.0f).count();
    else
      count += std::max<Index>(0, (rules.causal() ? std::min(end, row + 1) : end) - begin);
  }
  return static_cast<double>(count);
}

Tile HeadMap::tile(const TileRequest& request, const Matrix& q, const StripRules& rules) const {
  const Index tokens = panels_.key_count();
  const Span rows = checked_span(request.row_begin, request.row_end, tokens, "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, tokens, "columns", request.stage);
  const Index height = std::min(rows.size(), std::max<Index>(request.max_rows, 1));
  const Index width = std::min(columns.size(), std::max<Index>(request.max_columns, 1));
  const bool coarse = rows.size() >= height * kBlock && columns.size() >= width * kBlock;
  constexpr Index kMostCells = Index{1} << 25;  // above this, computing cell by cell takes too long
  const bool there = std::find(surveyed_.begin(), surveyed_.end(), 0) == surveyed_.end();
  if (coarse || !there || rows.size() * columns.size() > kMostCells)
    return map_tile(request, rows, columns, rules);
  auto tile = plain_part(request, this->rows(request.stage, columns, q, rules), tokens,
                         marks_of(request.stage, rules), range_of(request.stage, rules));
  return tile ? *std::move(tile) : map_tile(request, rows, columns, rules);
}

RowSource HeadMap::rows(Stage stage, Span columns, const Matrix& q, const StripRules& rules) const {
  return RowSource(panels_.key_count(), columns.size(), HeadPanels::width(),
                   [this, stage, columns, &q, rules](Index first, MatrixOut rows) {
                     read(stage, first / HeadPanels::width(), columns, q, rules, rows);
                   });
}

void HeadMap::read(Stage stage, Index strip, Span columns, const Matrix& q, const StripRules& rules,
                   MatrixOut rows) const {
  const VectorLoops& loops = best_vector_loops();
  const Index width = HeadPanels::width(), first = panels_.first_query(strip), height = HeadPanels::height();
  // The causal mask hides all keys after the strip's own.
  const bool hides = rules.causal() && shows_marks(stage);
  const Index begin = columns.begin / height * height;
  const Index end = hides ? std::clamp(first + width, columns.begin, columns.end) : columns.end;
  const Index count = end - columns.begin;
  Scratch stored_scores(panels_.workspace(), (end - begin + height) * width);
  float* scores = stored_scores.data();
  panels_.score(panels_.transposed_queries(strip, q).data(), begin, end, scores);
  float* wanted = scores + (columns.begin - begin) * width;
  const bool weights = stage == Stage::Weights || stage == Stage::Dropped;
  if (weights)
    loops.strip_weights(wanted, count, rules.factor, nullptr, maxima_.data() + first, sums_.data() + first,
                        0.0f, wanted);
  loops.transpose(wanted, width, count, rows.rows(), rows.data(), rows.outerStride());
  if (!weights && stage != Stage::Scores) rows.leftCols(count) *= rules.factor;
  if (!shows_marks(stage)) return;
  mask_rows(rules, first, columns, weights ? 0.0f : -kInfinity, rows);
}

}  // namespace headlight
