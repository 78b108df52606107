// Tiles and rows: a stage as seen from a view that has room for so many numbers and no more.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/attention/evaluator.h"
#include "engine/attention/kernels.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

struct Span {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
};

Span checked_span(Index begin, Index end, Index total, const char* what, Stage stage) {
  if (end == 0) end = total;
  if (begin < 0 || begin > end || end > total)
    throw Error(std::string(what) + " " + std::to_string(begin) + " to " + std::to_string(end) +
                    " lie outside 0 to " + std::to_string(total),
                std::string(stage_info(stage).name), "ask for a part of the matrix");
  return {begin, end};
}

// Several cells becoming one. NaN wins over everything, so that it is never hidden.
class Pool {
 public:
  explicit Pool(Pooling how) : how_(how) {}

  void add(float value, CellMark mark) {
    ++marks_[static_cast<std::size_t>(mark)];
    if (mark == CellMark::Masked) return;
    if (std::isnan(value)) nan_ = true;
    sum_ += value;
    const bool better = how_ == Pooling::AbsMax ? std::abs(value) > std::abs(best_) : value > best_;
    if (count_++ == 0 || better) best_ = value;
  }
  float value() const {
    if (nan_) return std::numeric_limits<float>::quiet_NaN();
    if (count_ == 0) return 0.0f;
    return how_ == Pooling::Mean ? static_cast<float>(sum_ / static_cast<double>(count_)) : best_;
  }
  CellMark mark() const {
    if (marks_[0] > 0) return CellMark::None;
    return count_ == 0 ? CellMark::Masked : CellMark::Dropped;
  }

 private:
  Pooling how_;
  double sum_ = 0;
  float best_ = 0;
  Index count_ = 0;
  bool nan_ = false;
  std::array<Index, 3> marks_{};
};

void count_cell(ValueRange& range, float value, CellMark mark) {
  if (mark == CellMark::Masked) {
    ++range.masked;
    return;
  }
  if (mark == CellMark::Dropped) ++range.dropped;
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

// The part of `span` that cell `index` of `cells` stands for; never empty.
Span part(Span span, Index index, Index cells) {
  return {span.begin + span.size() * index / cells, span.begin + span.size() * (index + 1) / cells};
}

}  // namespace

Matrix Evaluator::content_matrix(const TileRequest& request) const {
  if (request.stage != Stage::Dropped)
    throw Error("the stage has no noise", std::string(stage_info(request.stage).name),
                "ask for the noise of \"dropped\"");
  const Matrix& weights = matrix(Stage::Weights, request.sequence, request.head);
  if (request.content == TileContent::Noise)
    return noise_.empty() ? Matrix::Ones(weights.rows(), weights.cols()).eval()
                          : noise(request.sequence, request.head);
  if (kept_.draws() == 0) return weights;  // dropout does nothing
  Matrix mean;
  drop(weights, kept_.mean_noise(model_, request.sequence, request.head), mean);
  return mean;
}

CellMark Evaluator::content_mark(const TileRequest& request, Index row, Index column) const {
  switch (request.content) {
    case TileContent::Noise:
      return CellMark::None;  // forbidden cells draw too
    case TileContent::MeanDropped:
      return mark(Stage::Weights, request.sequence, request.head, row, column);
    case TileContent::Stage:
      break;
  }
  return mark(request.stage, request.sequence, request.head, row, column);
}

Tile Evaluator::tile(const TileRequest& request) const {
  const bool own = request.content == TileContent::Stage;
  const Matrix made = own ? Matrix() : content_matrix(request);
  const Matrix& whole = own ? matrix(request.stage, request.sequence, request.head) : made;
  const Span rows = checked_span(request.row_begin, request.row_end, whole.rows(), "rows", request.stage);
  const Span columns =
      checked_span(request.column_begin, request.column_end, whole.cols(), "columns", request.stage);
  const auto mark_at = [&](Index r, Index c) { return content_mark(request, r, c); };

  Tile tile;
  tile.request = request;
  tile.request.row_end = rows.end;
  tile.request.column_end = columns.end;
  if (request.content == TileContent::MeanDropped)
    tile.draws = model_.attention.dropout.active() ? kept_.draws() : request.draws;
  tile.total_rows = whole.rows();
  tile.total_columns = whole.cols();
  for (Index r = 0; r < whole.rows(); ++r)
    for (Index c = 0; c < whole.cols(); ++c)
      count_cell(tile.range, whole(r, c), mark_at(r, c));

  const Index height = std::min(rows.size(), std::max<Index>(request.max_rows, 1));
  const Index width = std::min(columns.size(), std::max<Index>(request.max_columns, 1));
  tile.pooled = height < rows.size() || width < columns.size();
  tile.values.resize(height, width);
  tile.marks.resize(static_cast<std::size_t>(height * width));
  for (Index i = 0; i < height; ++i) {
    const Span block_rows = part(rows, i, height);
    for (Index j = 0; j < width; ++j) {
      const Span block_columns = part(columns, j, width);
      Pool pool(request.pooling);
      for (Index r = block_rows.begin; r < block_rows.end; ++r)
        for (Index c = block_columns.begin; c < block_columns.end; ++c)
          pool.add(whole(r, c), mark_at(r, c));
      tile.marks[static_cast<std::size_t>(i * width + j)] = pool.mark();
      // A masked cell keeps what the stage holds there: minus infinity, or a weight of zero.
      tile.values(i, j) =
          pool.mark() == CellMark::Masked ? whole(block_rows.begin, block_columns.begin) : pool.value();
    }
  }
  return tile;
}

RowSummary Evaluator::row(const RowRequest& request) const {
  const Matrix& whole = matrix(request.stage, request.sequence, request.head);
  if (request.row < 0 || request.row >= whole.rows())
    throw Error("there is no row " + std::to_string(request.row), std::string(stage_info(request.stage).name),
                "rows are counted from 0 to " + std::to_string(whole.rows() - 1));
  RowSummary summary;
  summary.request = request;
  summary.total = whole.cols();
  const Index count = std::min(whole.cols(), std::max<Index>(request.max_values, 1));
  for (Index i = 0; i < count; ++i) {
    const Span block = part({0, whole.cols()}, i, count);
    Pool pool(Pooling::Max);
    for (Index c = block.begin; c < block.end; ++c)
      pool.add(whole(request.row, c), mark(request.stage, request.sequence, request.head, request.row, c));
    summary.marks.push_back(pool.mark());
    summary.values.push_back(pool.mark() == CellMark::Masked ? whole(request.row, block.begin)
                                                             : pool.value());
  }
  double sum = 0, entropy = 0;
  for (Index c = 0; c < whole.cols(); ++c) {
    const float value = whole(request.row, c);
    if (!std::isfinite(value)) continue;
    sum += value;
    if (value > 0) entropy -= value * std::log2(static_cast<double>(value));
    if (summary.largest < 0 || value > whole(request.row, summary.largest)) summary.largest = c;
  }
  summary.sum = static_cast<float>(sum);
  if (request.stage == Stage::Weights) summary.entropy_bits = static_cast<float>(entropy);
  return summary;
}

HeadSummary Evaluator::head(const HeadRequest& request) const {
  return summarize_head(matrix(Stage::Weights, request.sequence, request.head));
}

}  // namespace headlight
