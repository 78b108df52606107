#include "engine/attention/plain_tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/tile_builder.h"
#include "engine/core/vector_loops.h"

namespace headlight {
namespace {

using Row = Eigen::Array<float, 1, Eigen::Dynamic>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// What the open cells of several rows hold, column by column. Each number is looked at once, several at a
// time.
class Strip {
 public:
  Strip(const Matrix& whole, const MarkRule& rule)
      : whole_(whole), rule_(rule), sum_(Row::Zero(whole.cols())), kept_(Row::Zero(whole.cols())) {}

  void clear() {
    low_.setConstant(whole_.cols(), kInfinity);
    high_.setConstant(whole_.cols(), -kInfinity);
    if (rule_.noise) kept_.setZero();
  }

  void add(Index row, ValueRange& range) {
    const Index reach = rule_.causal ? std::min(row + 1, whole_.cols()) : whole_.cols();
    const auto cells = whole_.row(row).head(reach).array();
    Index open = reach;
    if (rule_.allowed) {
      const auto allowed = rule_.allowed->row(row).head(reach).array();
      low_.head(reach) = low_.head(reach).min((allowed != 0.0f).select(cells, kInfinity));
      high_.head(reach) = high_.head(reach).max((allowed != 0.0f).select(cells, -kInfinity));
      sum_.head(reach) += (allowed != 0.0f).select(cells, 0.0f);
      open = static_cast<Index>((allowed != 0.0f).cast<float>().sum());
    } else {
      loops_.widen(cells.data(), reach, low_.data(), high_.data(), sum_.data());
    }
    range.finite += open;
    range.masked += whole_.cols() - open;
    if (rule_.noise) range.dropped += open - add_noise(row, reach);
  }

  // Over all rows so far. A sum is finite only if all that is in it is.
  bool finite() const { return ((sum_ - sum_) == 0.0f).all(); }

  float low(Span columns) const { return low_.segment(columns.begin, columns.size()).minCoeff(); }
  float high(Span columns) const { return high_.segment(columns.begin, columns.size()).maxCoeff(); }
  bool kept(Span columns) const { return kept_.segment(columns.begin, columns.size()).maxCoeff() > 0.0f; }

 private:
  // How many open cells are not dropped.
  Index add_noise(Index row, Index reach) {
    const auto noise = rule_.noise->row(row).head(reach).array();
    if (!rule_.allowed) {
      kept_.head(reach) = kept_.head(reach).max(noise);
      return static_cast<Index>((noise > 0.0f).cast<float>().sum());
    }
    const auto open_noise = (rule_.allowed->row(row).head(reach).array() != 0.0f).select(noise, 0.0f);
    kept_.head(reach) = kept_.head(reach).max(open_noise);
    return static_cast<Index>((open_noise > 0.0f).cast<float>().sum());
  }

  const Matrix& whole_;
  const MarkRule& rule_;
  const VectorLoops& loops_ = best_vector_loops();
  Row low_, high_, sum_;
  Row kept_;  // the largest multiplier of dropout
};

void widen(ValueRange& range, float low, float high) {
  range.low = std::min(range.low, low);
  range.high = std::max(range.high, high);
}

struct PlainCell {
  float value = 0;
  CellMark mark = CellMark::None;
};

// The cell of a tile that stands for `columns` of the strip; `first` is the number of the first of its cells.
PlainCell pooled(const Strip& strip, Span columns, float first, const MarkRule& rule, Pooling how) {
  const float low = strip.low(columns), high = strip.high(columns);
  if (low > high) return {first, CellMark::Masked};
  const bool dropped = rule.noise && !strip.kept(columns);
  const bool below = how == Pooling::AbsMax && std::abs(low) > std::abs(high);
  return {below ? low : high, dropped ? CellMark::Dropped : CellMark::None};
}

}  // namespace

std::optional<Tile> plain_tile(const TileRequest& request, const Matrix& whole, const MarkRule& rule) {
  if (request.pooling == Pooling::Mean || request.spread) return std::nullopt;
  const Span rows = checked_span(request.row_begin, request.row_end, whole.rows(), "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, whole.cols(), "columns", request.stage);
  if (whole.size() == 0) return std::nullopt;
  Tile tile = empty_tile(request, whole, rows, columns);
  tile.range.low = kInfinity;
  tile.range.high = -kInfinity;
  Strip strip(whole, rule);
  const auto look_at = [&](Span block) {
    strip.clear();
    for (Index r = block.begin; r < block.end; ++r)
      strip.add(r, tile.range);
    const Span all = {0, whole.cols()};
    if (block.size() > 0) widen(tile.range, strip.low(all), strip.high(all));
  };
  look_at({0, rows.begin});
  const Index height = tile.values.rows(), width = tile.values.cols();
  for (Index i = 0; i < height; ++i) {
    const Span block_rows = part(rows, i, height);
    look_at(block_rows);
    for (Index j = 0; j < width; ++j) {
      const Span block_columns = part(columns, j, width);
      const float first = whole(block_rows.begin, block_columns.begin);
      const PlainCell cell = pooled(strip, block_columns, first, rule, request.pooling);
      tile.values(i, j) = cell.value;
      tile.marks[static_cast<std::size_t>(i * width + j)] = cell.mark;
    }
  }
  look_at({rows.end, whole.rows()});
  if (!strip.finite()) return std::nullopt;
  if (tile.range.empty()) tile.range.low = tile.range.high = 0;
  return tile;
}

}  // namespace headlight
