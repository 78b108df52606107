// Refreshing less than whole stages: what one changed embedding or one changed weight of a projection
// reaches. Everything is computed from the inputs of the stage, as the full pass does, so that nothing
// drifts; only the matrix products sum in another order. At lesson size whole stages take microseconds and
// are refreshed.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/attention/evaluator.h"
#include "engine/attention/kernels.h"
#include "engine/core/parallel.h"
#include "engine/core/product.h"
#include "engine/model/projection.h"

namespace headlight {
namespace {

constexpr double kWorthParts = 100'000;  // cells of all T x T matrices of a stage

void mask_cells(const Matrix& scaled, const Model& model, Index row, Index row_end, Index column,
                Index column_end, Matrix& masked) {
  for (Index r = row; r < row_end; ++r)
    for (Index c = column; c < column_end; ++c)
      masked(r, c) = model.may_attend(r, c) ? scaled(r, c) : -std::numeric_limits<float>::infinity();
}

}  // namespace

Evaluator::PartChange Evaluator::part_reached(const Edit& edit) const {
  const auto* cells = std::get_if<CellsEdit>(&edit);
  const double all =
      matrix_cells(Stage::Scores) * static_cast<double>(model_.head_count() * model_.sequence_count());
  if (!cells || all < kWorthParts) return {};
  if (cells->input.kind == InputKind::Embeddings || cells->input.kind == InputKind::Given) {
    const Index rows = cells->values.rows();
    if (model_.attention.normalization != Normalization::Softmax || rows * 8 > model_.token_count())
      return {};
    return RowsChange{cells->input.sequence, cells->row, cells->row + rows};
  }
  const bool weight = cells->input.kind == InputKind::Weight, bias = cells->input.kind == InputKind::Bias;
  // Weights are kept while nothing is projected with them.
  if ((!weight && !bias) || !model_.uses(cells->input.parameter)) return {};
  if (cells->input.parameter == Parameter::Output) return {};
  const bool by_columns = bias || model_.weights.layout == WeightLayout::InOut;
  const Index first = by_columns ? cells->column : cells->row;
  const Index count = by_columns ? cells->values.cols() : cells->values.rows();
  const Index head = first / model_.d_k();
  if ((first + count - 1) / model_.d_k() != head) return {};
  return HeadChange{cells->input.parameter, head};
}

Evaluator::PartChange Evaluator::joined_with_pending(const PartChange& next) const {
  if (const auto* a = std::get_if<RowsChange>(&part_), *b = std::get_if<RowsChange>(&next); a && b) {
    const Index begin = std::min(a->begin, b->begin), end = std::max(a->end, b->end);
    if (a->sequence == b->sequence && (end - begin) * 8 <= model_.token_count())
      return RowsChange{a->sequence, begin, end};
  }
  if (const auto* a = std::get_if<HeadChange>(&part_), *b = std::get_if<HeadChange>(&next); a && b)
    if (a->parameter == b->parameter && a->head == b->head) return next;
  return {};
}

void Evaluator::refresh_rows_of_head(const RowsChange& change, Index head) {
  const Index begin = change.begin, end = change.end, count = end - begin, tokens = model_.token_count();
  const auto of = [&](Stage stage) -> Matrix& { return stored(stage, change.sequence, head); };
  const Matrix &q = of(Stage::Queries), &k = of(Stage::Keys);
  Matrix &scores = of(Stage::Scores), &scaled = of(Stage::Scaled), &masked = of(Stage::Masked);
  const float factor = model_.scale_factor();
  multiply_transposed(q.middleRows(begin, count), k, scores.middleRows(begin, count));
  multiply_transposed(q, k.middleRows(begin, count), scores.middleCols(begin, count));
  scaled.middleRows(begin, count) = scores.middleRows(begin, count) * factor;
  scaled.middleCols(begin, count) = scores.middleCols(begin, count) * factor;

  Matrix& weights = of(Stage::Weights);
  KeptSoftmax& softmax = softmax_[static_cast<std::size_t>(change.sequence * model_.head_count() + head)];
  mask_cells(scaled, model_, begin, end, 0, tokens, masked);
  mask_cells(scaled, model_, 0, tokens, begin, end, masked);
  if (softmax.empty())
    softmax.start(masked, weights);
  else
    softmax.update(masked, begin, end, weights);
  refresh_chain_rows(stage_bit(Stage::Dropped) | stage_bit(Stage::Context), change.sequence, head, 0, tokens);
}

void Evaluator::refresh_part(const RowsChange& change) {
  const Index rows = change.end - change.begin;
  stored(Stage::Embeddings, change.sequence, 0).middleRows(change.begin, rows) =
      model_.embeddings[static_cast<std::size_t>(change.sequence)].middleRows(change.begin, rows);
  refresh_projection(Stage::Queries, Parameter::Query, change);
  refresh_projection(Stage::Keys, Parameter::Key, change);
  refresh_projection(Stage::Values, Parameter::Value, change);
  softmax_.resize(static_cast<std::size_t>(model_.sequence_count() * model_.head_count()));
  for_each_index(model_.head_count(), matrix_cells(Stage::Scores) * static_cast<double>(model_.head_count()),
                 [&](Index head) { refresh_rows_of_head(change, head); });
  refresh_matrix(Stage::Concat, change.sequence, 0);
  refresh_matrix(Stage::Output, change.sequence, 0);
}

void Evaluator::refresh_part(const HeadChange& change) {
  const Stage projected = projected_stage(change.parameter);
  const Weights& weights = model_.weights;
  const Matrix& w = weights.matrix(change.parameter);
  const Index d_k = model_.d_k(), first = change.head * d_k;
  const Matrix part = weights.layout == WeightLayout::InOut ? Matrix(w.middleCols(first, d_k))
                                                            : Matrix(w.middleRows(first, d_k));
  Matrix bias;
  if (model_.uses_bias(change.parameter)) bias = weights.bias(change.parameter).middleCols(first, d_k);
  for_each_index(
      model_.sequence_count(), matrix_cells(Stage::Scores) * static_cast<double>(model_.sequence_count()),
      [&](Index sequence) {
        project(stored(Stage::Embeddings, sequence, 0), part, weights.layout, bias.size() ? &bias : nullptr,
                stored(projected, sequence, change.head));
        const Index tokens = model_.token_count();
        for (Index begin = 0; begin < tokens; begin += kChainRows)
          refresh_chain_rows(stale_, sequence, change.head, begin, std::min(begin + kChainRows, tokens));
        refresh_matrix(Stage::Concat, sequence, 0);
        refresh_matrix(Stage::Output, sequence, 0);
      });
  if (stale_ & stage_bit(Stage::Weights)) softmax_.clear();
}

}  // namespace headlight
