// Tiles and row summaries: a stage reduced to as many numbers as a view can show.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/attention/evaluator.h"
#include "engine/attention/kernels.h"
#include "engine/core/error.h"
#include "engine/views/plain_tile.h"
#include "engine/views/tile_builder.h"

namespace headlight {

Matrix Evaluator::part_of_head(Index sequence, Index head) const {
  matrix(Stage::Context, sequence, head);  // throws if there is no such head
  const Matrix* w = layer().uses(Parameter::Output) ? &layer().weights.matrix(Parameter::Output) : nullptr;
  Matrix part;
  head_part(matrix(Stage::Concat, sequence, 0), w, layer().weights.layout, head, layer().d_v(), part);
  return part;
}

Matrix Evaluator::content_matrix(const TileRequest& request) const {
  if (request.content == TileContent::Gradient)
    throw Error("a gradient needs a goal", std::string(stage_info(request.stage).name), "set a goal first");
  if (is_of_baseline(request.content) || is_difference(request.content))
    throw Error("one state has nothing to compare with", std::string(stage_info(request.stage).name),
                "ask for the difference of two");
  if (request.content == TileContent::HeadPart) {
    if (request.stage != Stage::Output)
      throw Error("heads have no part in the stage", std::string(stage_info(request.stage).name),
                  "ask for the parts of \"output\"");
    return part_of_head(request.sequence, request.head);
  }
  if (request.content == TileContent::ValueWeighted)
    return value_weighted(request.stage, request.sequence, request.head);
  if (request.stage != Stage::Dropped)
    throw Error("the stage has no noise", std::string(stage_info(request.stage).name),
                "ask for the noise of \"dropped\"");
  const Matrix& weights = matrix(Stage::Weights, request.sequence, request.head);
  if (request.content == TileContent::Noise)
    return store_->noise.empty() ? Matrix::Ones(weights.rows(), weights.cols()).eval()
                                 : noise(request.sequence, request.head);
  if (kept_.draws() == 0) return weights;  // dropout is not active
  Matrix mean(weights.rows(), weights.cols());
  drop(weights, kept_.mean_noise(layer(), request.sequence, request.head), mean);
  return mean;
}

MarkRule Evaluator::content_marks(const TileRequest& request) const {
  switch (request.content) {
    case TileContent::Noise:
    case TileContent::HeadPart:
      return {};  // masked cells draw noise too
    case TileContent::MeanDropped:
      return mark_rule(Stage::Weights, request.sequence, request.head);
    case TileContent::Stage:
    case TileContent::Reference:
    case TileContent::Difference:
    case TileContent::Gradient:
    case TileContent::HeadMean:
    case TileContent::HeadMaximum:
    case TileContent::ValueWeighted:
    case TileContent::ValueWeightedReference:
    case TileContent::ValueWeightedDifference:
    case TileContent::WithoutFirst:
      break;
  }
  return mark_rule(request.stage, request.sequence, request.head);
}

// What the sink takes of each row of the tile: 1 less the weights of the keys.
std::vector<float> sink_weights(const Tile& tile, RowSource weights) {
  const TileRequest& shown = tile.request;
  const Index count = shown.row_end - shown.row_begin, rows = tile.values.rows();
  std::vector<float> sink(static_cast<std::size_t>(rows), 0);
  for (Index row = shown.row_begin; row < shown.row_end; ++row) {
    const Eigen::Map<const Eigen::RowVectorXf> own(weights.row(row), weights.cols());
    const auto at = static_cast<std::size_t>((row - shown.row_begin) * rows / count);
    sink[at] = std::max(sink[at], static_cast<float>(1 - own.cast<double>().sum()));
  }
  return sink;
}

Matrix Evaluator::heads_together(Stage stage, Index sequence, HeadPool pool) const {
  const StageInfo& info = stage_info(stage);
  if (!info.per_head)
    throw Error("it has no heads that could be put together", std::string(info.name),
                "choose a stage with heads");
  check_address(stage, sequence, 0);
  const Index count = stage_heads(layer(), stage);
  RowSource first = rows(stage, sequence, 0);
  const double bytes = sizeof(double) * static_cast<double>(first.rows()) * static_cast<double>(first.cols());
  if (storage() == StorageKind::Map || bytes > memory_budget_)
    throw Error("the heads of so long a sequence are not put together", std::string(info.name),
                "choose one head, or a shorter text");
  using Sums = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Sums sums = Sums::Zero(first.rows(), first.cols());
  for (Index head = 0; head < count; ++head) {
    RowSource one = rows(stage, sequence, head);
    for (Index row = 0; row < one.rows(); ++row) {
      const Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>> numbers(one.row(row), one.cols());
      if (pool == HeadPool::Mean || head == 0)
        sums.row(row) += numbers.cast<double>();
      else
        sums.row(row) = sums.row(row).max(numbers.cast<double>());
    }
  }
  if (pool == HeadPool::Mean) sums /= static_cast<double>(count);
  return sums.cast<float>().matrix();
}

Eigen::RowVectorXf Evaluator::value_lengths(Stage stage, Index sequence, Index head) const {
  const Layer& m = layer();
  const std::string name(stage_info(stage).name);
  if (stage != Stage::Weights && stage != Stage::Dropped)
    throw Error("only weights are multiplied by the length of values", name, "choose weights or dropped");
  if (!stage_exists(m, Stage::Values))
    throw Error("the layer has no values whose length could be taken", name, "give values, or leave it out");
  check_address(stage, sequence, head);
  Matrix added = matrix(Stage::Values, sequence, m.kv_head_of(head));
  if (m.uses(Parameter::Output)) {
    const Matrix& w = m.weights.matrix(Parameter::Output);
    const Index first = head * m.d_v();
    added = m.weights.layout == WeightLayout::InOut
                ? Matrix(added * w.middleRows(first, m.d_v()))
                : Matrix(added * w.middleCols(first, m.d_v()).transpose());
  }
  return added.rowwise().norm().transpose();
}

Matrix Evaluator::value_weighted(Stage stage, Index sequence, Index head) const {
  const Eigen::RowVectorXf lengths = value_lengths(stage, sequence, head);
  const double bytes = sizeof(float) * static_cast<double>(stage_rows(layer(), stage)) *
                       static_cast<double>(stage_columns(layer(), stage));
  if (storage() == StorageKind::Map || bytes > memory_budget_)
    throw Error("the weights of so long a sequence are not multiplied", std::string(stage_info(stage).name),
                "choose a shorter text");
  RowSource weights = rows(stage, sequence, head);
  Matrix products(weights.rows(), weights.cols());
  for (Index row = 0; row < products.rows(); ++row)
    products.row(row) =
        Eigen::Map<const Eigen::RowVectorXf>(weights.row(row), weights.cols()).cwiseProduct(lengths);
  return products;
}

Matrix Evaluator::without_first(Stage stage, Index sequence, Index head) const {
  const std::string name(stage_info(stage).name);
  if (stage != Stage::Weights)
    throw Error("only weights are made whole again without the first key", name, "choose weights");
  if (layer().key_count() < 2) throw Error("there is no key but the first one", name, "choose a longer text");
  check_address(stage, sequence, head);
  const double bytes = sizeof(float) * static_cast<double>(stage_rows(layer(), stage)) *
                       static_cast<double>(stage_columns(layer(), stage));
  if (storage() == StorageKind::Map || bytes > memory_budget_)
    throw Error("the weights of so long a sequence are not made whole again", name, "choose a shorter text");
  RowSource weights = rows(stage, sequence, head);
  Matrix rest(weights.rows(), weights.cols());
  for (Index row = 0; row < rest.rows(); ++row) {
    rest.row(row) = Eigen::Map<const Eigen::RowVectorXf>(weights.row(row), weights.cols());
    rest(row, 0) = 0;
    const double sum = rest.row(row).cast<double>().sum();
    if (sum != 0) rest.row(row).tail(rest.cols() - 1) /= static_cast<float>(sum);
  }
  return rest;
}

Tile Evaluator::tile_without_first(const TileRequest& request) const {
  const Matrix numbers = without_first(request.stage, request.sequence, request.head);
  return build_tile(request, numbers, [&](Index row, Index column) {
    return column == 0 ? CellMark::Masked : mark(request.stage, request.sequence, request.head, row, column);
  });
}

Tile Evaluator::tile_of_heads(const TileRequest& request, HeadPool pool) const {
  const Matrix numbers = heads_together(request.stage, request.sequence, pool);
  return build_tile(request, numbers, [&](Index row, Index column) {
    const CellMark first = mark(request.stage, request.sequence, 0, row, column);
    for (Index head = 1; head < stage_heads(layer(), request.stage) && first != CellMark::None; ++head)
      if (mark(request.stage, request.sequence, head, row, column) != first) return CellMark::None;
    return first;
  });
}

Tile Evaluator::tile(const TileRequest& request) const {
  if (request.content == TileContent::HeadMean) return tile_of_heads(request, HeadPool::Mean);
  if (request.content == TileContent::HeadMaximum) return tile_of_heads(request, HeadPool::Maximum);
  if (request.content == TileContent::WithoutFirst) return tile_without_first(request);
  check_address(request.stage, request.sequence, request.content == TileContent::HeadPart ? 0 : request.head);
  if (is_pair(request.stage))
    if (auto quick = pairs_->tile(request)) return *std::move(quick);
  const bool own = request.content == TileContent::Stage;
  const Matrix made = own ? Matrix() : content_matrix(request);
  Tile tile =
      marked_tile(request, own ? rows(request.stage, request.sequence, request.head) : RowSource(made),
                  content_marks(request));
  if (own && request.stage == Stage::Weights && layer().sink_of(request.head))
    tile.sink_weights = sink_weights(tile, rows(request.stage, request.sequence, request.head));
  if (request.content == TileContent::MeanDropped)
    tile.draws = layer().attention.dropout.active() ? kept_.draws() : request.draws;
  return tile;
}

RowSummary Evaluator::row(const RowRequest& request) const {
  RowSource whole = rows(request.stage, request.sequence, request.head);
  if (request.row < 0 || request.row >= whole.rows())
    throw Error("there is no row " + std::to_string(request.row), std::string(stage_info(request.stage).name),
                "rows are counted from 0 to " + std::to_string(whole.rows() - 1));
  const float* numbers = whole.row(request.row);
  Eigen::RowVectorXf products;
  if (request.by_value) {
    products = Eigen::Map<const Eigen::RowVectorXf>(numbers, whole.cols())
                   .cwiseProduct(value_lengths(request.stage, request.sequence, request.head));
    numbers = products.data();
  }
  RowSummary summary;
  summary.request = request;
  summary.total = whole.cols();
  const Index count = std::min(whole.cols(), std::max<Index>(request.max_values, 1));
  for (Index i = 0; i < count; ++i) {
    const Span block = part({0, whole.cols()}, i, count);
    Pool pool(Pooling::Max);
    for (Index c = block.begin; c < block.end; ++c)
      pool.add(numbers[c], mark(request.stage, request.sequence, request.head, request.row, c));
    summary.marks.push_back(pool.mark());
    summary.values.push_back(pool.mark() == CellMark::Masked ? numbers[block.begin] : pool.value());
  }
  double sum = 0, entropy = 0;
  for (Index c = 0; c < whole.cols(); ++c) {
    const float value = numbers[c];
    if (!std::isfinite(value)) continue;
    sum += value;
    if (value > 0) entropy -= value * std::log2(static_cast<double>(value));
    if (summary.largest < 0 || value > numbers[summary.largest]) summary.largest = c;
  }
  summary.sum = static_cast<float>(sum);
  const bool nan =
      std::any_of(numbers, numbers + whole.cols(), [](float value) { return std::isnan(value); });
  if (request.stage == Stage::Weights && !request.by_value)
    summary.entropy_bits = nan ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(entropy);
  return summary;
}

PointCloud Evaluator::points(const PointsRequest& request) const {
  std::vector<const Matrix*> matrices;
  for (const Stage stage : request.stages) {
    const Index head = stage_head(layer(), stage, request.head);
    matrices.push_back(&matrix(stage, request.sequence, head));
    if (matrices.back()->cols() != matrices.front()->cols())
      throw Error("the stage is " + std::to_string(matrices.back()->cols()) + " wide, not " +
                      std::to_string(matrices.front()->cols()),
                  std::string(stage_info(stage).name), "ask for stages of one width");
  }
  return point_cloud(request, matrices);
}

}  // namespace headlight
