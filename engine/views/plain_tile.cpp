#include "engine/views/plain_tile.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/simd/vector_loops.h"
#include "engine/views/tile_builder.h"

namespace headlight {
namespace {

using Row = Eigen::Array<float, 1, Eigen::Dynamic>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Column-wise minimum, maximum and sum of the open cells of several rows. Reads each number once, vectorized.
class Strip {
  auto allowed(Index row, Index begin, Index count) const {
    return rule_.open.allowed->row(row).segment(first_column_ + begin, count).array() != 0.0f;
  }

 public:
  // first_column: the matrix column of the first column of `whole`.
  Strip(RowSource& whole, Index first_column, const MarkRule& rule)
      : whole_(whole),
        first_column_(first_column),
        rule_(rule),
        low_(Row::Constant(whole.cols(), kInfinity)),
        high_(-low_),
        all_low_(low_),
        all_high_(high_),
        sum_(Row::Zero(whole.cols())),
        all_sum_(sum_),
        kept_(sum_) {}

  // Starts a new group of rows.
  void clear() {
    all_low_ = all_low_.min(low_);
    all_high_ = all_high_.max(high_);
    low_.setConstant(kInfinity);
    high_.setConstant(-kInfinity);
    all_sum_ += sum_;
    sum_.setZero();
    if (rule_.noise) kept_.setZero();
  }

  void add(Span rows, ValueRange& range) {
    if (!rule_.open.allowed) {
      for (Index row = rows.begin; row < rows.end;) {
        const Index end = std::min(rows.end, whole_.together_until(row));
        // First the columns that all of these rows share, then the rest of each row.
        const Index begin = reach(end - 1).begin, shared = std::max(begin, reach(row).end);
        widen(row, end - row, begin, shared);
        for (; row < end; ++row) {
          const Span own = reach(row);
          widen(row, 1, own.begin, std::min(begin, own.end));
          widen(row, 1, std::max(shared, own.begin), own.end);
        }
      }
    }
    for (Index row = rows.begin; row < rows.end; ++row) {
      const Index open = rule_.open.allowed ? add_allowed(row) : reach(row).size();
      range.finite += open;
      range.masked += whole_.cols() - open;
      if (rule_.noise) range.dropped += open - add_noise(row);
    }
  }

  // Over all rows so far. A sum is finite only if all its terms are.
  bool finite() const { return all_finite((all_sum_ + sum_).matrix()); }
  void set_ends(ValueRange& range) const {
    range.low = std::min(low_.minCoeff(), all_low_.minCoeff());
    range.high = std::max(high_.maxCoeff(), all_high_.maxCoeff());
  }

  float low(Span columns) const {
    return *std::min_element(low_.data() + columns.begin, low_.data() + columns.end);
  }
  float high(Span columns) const {
    return *std::max_element(high_.data() + columns.begin, high_.data() + columns.end);
  }
  // The mean of the open cells of the rows added last.
  float mean(Span rows, Span columns) const {
    Index count = 0;
    for (Index row = rows.begin; row < rows.end; ++row) {
      const Index begin = std::max(reach(row).begin, columns.begin),
                  end = std::min(reach(row).end, columns.end);
      if (end <= begin) continue;
      count += rule_.open.allowed ? allowed(row, begin, end - begin).count() : end - begin;
    }
    const double sum = sum_.segment(columns.begin, columns.size()).cast<double>().sum();
    return static_cast<float>(sum / static_cast<double>(count));
  }
  bool kept(Span columns) const { return kept_.segment(columns.begin, columns.size()).maxCoeff() > 0.0f; }

 private:
  // The range of columns that the mask's rules open for a row.
  Span reach(Index row) const {
    const KeyBand& band = rule_.open.band;
    const Index begin = std::clamp<Index>(band.begin(row) - first_column_, 0, whole_.cols());
    return {begin, std::clamp<Index>(band.end(row) - first_column_, begin, whole_.cols())};
  }

  void widen(Index row, Index rows, Index begin, Index end) {
    if (begin < end)
      loops_.widen(whole_.row(row) + begin, whole_.cols(), rows, end - begin, low_.data() + begin,
                   high_.data() + begin, sum_.data() + begin);
  }

  // Returns the number of open cells.
  Index add_allowed(Index row) {
    const Span seen = reach(row);
    const Index begin = seen.begin, count = seen.size();
    const auto cells = Eigen::Map<const Row>(whole_.row(row) + begin, count);
    const auto open = allowed(row, begin, count);
    low_.segment(begin, count) = low_.segment(begin, count).min(open.select(cells, kInfinity));
    high_.segment(begin, count) = high_.segment(begin, count).max(open.select(cells, -kInfinity));
    sum_.segment(begin, count) += open.select(cells, 0.0f);
    return static_cast<Index>(open.cast<float>().sum());
  }

  // Returns the number of open cells that are not dropped.
  Index add_noise(Index row) {
    const Index begin = reach(row).begin, count = reach(row).size();
    const auto noise = rule_.noise->row(row).segment(begin, count).array();
    if (!rule_.open.allowed) {
      kept_.segment(begin, count) = kept_.segment(begin, count).max(noise);
      return static_cast<Index>((noise > 0.0f).cast<float>().sum());
    }
    const auto open_noise = allowed(row, begin, count).select(noise, 0.0f);
    kept_.segment(begin, count) = kept_.segment(begin, count).max(open_noise);
    return static_cast<Index>((open_noise > 0.0f).cast<float>().sum());
  }

  RowSource& whole_;
  Index first_column_;
  const MarkRule& rule_;
  const VectorLoops& loops_ = best_vector_loops();
  Row low_, high_, all_low_, all_high_, sum_, all_sum_;
  Row kept_;  // the largest dropout multiplier
};

struct PlainCell {
  float value = 0;
  CellMark mark = CellMark::None;
};

// The tile cell pooled from `columns` of the strip's last rows. first: the value of the first of them.
PlainCell pooled(const Strip& strip, Span rows, Span columns, float first, const MarkRule& rule,
                 Pooling how) {
  const float low = strip.low(columns), high = strip.high(columns);
  if (low > high) return {first, CellMark::Masked};
  const CellMark mark = rule.noise && !strip.kept(columns) ? CellMark::Dropped : CellMark::None;
  if (how == Pooling::Mean) return {strip.mean(rows, columns), mark};
  const bool below = how == Pooling::AbsMax && std::abs(low) > std::abs(high);
  return {below ? low : high, mark};
}

// Fills the rows `tile_rows` of the tile. `rows`: the matrix rows of the whole tile; `columns` are relative
// to the strip's first column.
void fill(Tile& tile, Span tile_rows, RowSource& whole, Strip& strip, Span rows, Span columns,
          const MarkRule& rule, ValueRange& range) {
  const Index width = tile.values.cols();
  std::vector<Span> blocks;  // of columns
  for (Index j = 0; j < width; ++j)
    blocks.push_back(part(columns, j, width));
  std::vector<float> first(blocks.size());  // the value at the start of each block
  for (Index i = tile_rows.begin; i < tile_rows.end; ++i) {
    const Span block_rows = part(rows, i, tile.values.rows());
    for (std::size_t j = 0; j < blocks.size(); ++j)
      first[j] = whole.row(block_rows.begin)[blocks[j].begin];
    strip.clear();
    strip.add(block_rows, range);
    for (std::size_t j = 0; j < blocks.size(); ++j) {
      const PlainCell cell = pooled(strip, block_rows, blocks[j], first[j], rule, tile.request.pooling);
      tile.values(i, static_cast<Index>(j)) = cell.value;
      tile.marks[static_cast<std::size_t>(i * width) + j] = cell.mark;
    }
  }
}

}  // namespace

std::optional<Tile> plain_tile(const TileRequest& request, RowSource whole, const MarkRule& rule) {
  if (request.spread || rule.own) return std::nullopt;
  const Span rows = checked_span(request.row_begin, request.row_end, whole.rows(), "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, whole.cols(), "columns", request.stage);
  if (whole.rows() * whole.cols() == 0) return std::nullopt;
  Tile tile = empty_tile(request, whole.rows(), whole.cols(), rows, columns);
  Strip strip(whole, 0, rule);
  if (rows.begin > 0) strip.add({0, rows.begin}, tile.range);
  fill(tile, {0, tile.values.rows()}, whole, strip, rows, columns, rule, tile.range);
  strip.clear();
  if (rows.end < whole.rows()) strip.add({rows.end, whole.rows()}, tile.range);
  if (!strip.finite()) return std::nullopt;
  if (!tile.range.empty()) strip.set_ends(tile.range);
  return tile;
}

std::optional<Tile> plain_part(const TileRequest& request, RowSource columns, Index total_columns,
                               const MarkRule& rule, const ValueRange& range) {
  const Span rows = checked_span(request.row_begin, request.row_end, columns.rows(), "rows", request.stage);
  const Span shown =
      checked_span(request.column_begin, request.column_end, total_columns, "columns", request.stage);
  Tile tile = empty_tile(request, columns.rows(), total_columns, rows, shown);
  // Computing rows is expensive, so parts of them run on all threads.
  const Index height = tile.values.rows(), parts = std::min(height, 4 * thread_count());
  std::atomic<bool> finite{true};
  for_each_index(parts, static_cast<double>(rows.size() * shown.size()), [&](Index i) {
    RowSource own = columns;
    Strip strip(own, shown.begin, rule);
    ValueRange unused;
    fill(tile, part({0, height}, i, parts), own, strip, rows, {0, shown.size()}, rule, unused);
    if (!strip.finite()) finite = false;
  });
  if (!finite) return std::nullopt;
  tile.range = range;
  return tile;
}

Tile marked_tile(const TileRequest& request, const RowSource& whole, const MarkRule& rule) {
  if (auto quick = plain_tile(request, whole, rule)) return *std::move(quick);
  return build_tile(request, whole.whole(),
                    [&](Index row, Index column) { return mark_of(rule, row, column); });
}

}  // namespace headlight
