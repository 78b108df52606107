#include "engine/attention/token_stages.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/model/projection.h"

namespace headlight {

void TokenStages::refresh_inputs(StageSet stale) {
  const Model& model = store_->model;
  for (const Stage stage : {Stage::Embeddings, Stage::Queries, Stage::Keys, Stage::Values})
    if (any_of(stale, stage_bit(stage)))
      store_->all_of(stage).resize(
          static_cast<std::size_t>(stage == Stage::Embeddings ? model.sequence_count() : store_->matrices()));
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence) {
    if (any_of(stale, stage_bit(Stage::Embeddings))) take_embeddings(sequence);
    project_rows(stale, {sequence, 0, model.token_count()});
  }
}

void TokenStages::take_embeddings(Index sequence) {
  const Matrix& from = store_->model.embeddings[static_cast<std::size_t>(sequence)];
  Matrix& to = store_->of(Stage::Embeddings, sequence, 0);
  to.resize(from.rows(), from.cols());
  constexpr Index kRows = 128;
  for_each_index((from.rows() + kRows - 1) / kRows, static_cast<double>(from.size()), [&](Index block) {
    const Index begin = block * kRows, count = std::min(kRows, from.rows() - begin);
    to.middleRows(begin, count) = from.middleRows(begin, count);
  });
}

void TokenStages::refresh_inputs(const PartChange& part) {
  if (const auto* head = std::get_if<HeadChange>(&part)) project_head(*head);
  const auto* rows = std::get_if<RowsChange>(&part);
  if (!rows) return;
  const Index count = rows->end - rows->begin;
  store_->of(Stage::Embeddings, rows->sequence, 0).middleRows(rows->begin, count) =
      store_->model.embeddings[static_cast<std::size_t>(rows->sequence)].middleRows(rows->begin, count);
  project_rows(kAllStages, *rows);
}

void TokenStages::project_rows(StageSet stages, const RowsChange& change) {
  const Model& model = store_->model;
  const Index count = change.end - change.begin, d_k = model.d_k(), heads = model.head_count();
  const Matrix& embeddings = store_->of(Stage::Embeddings, change.sequence, 0);
  const auto rows_of = [&](const Matrix& from) { return from.middleRows(change.begin, count); };
  // The rows that were made go to their heads.
  const auto take = [&](Stage stage, Index begin, const MatrixRef& rows) {
    for (Index head = 0; head < heads; ++head)
      store_->of(stage, change.sequence, head).middleRows(begin, rows.rows()) =
          rows.middleCols(head * d_k, d_k);
  };
  std::vector<Parameter> projected;
  for (const Parameter parameter : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    const Stage stage = projected_stage(parameter);
    if (!any_of(stages, stage_bit(stage))) continue;
    for (Index head = 0; head < heads; ++head)  // keeps the other rows where the shape is the same
      store_->of(stage, change.sequence, head).resize(model.token_count(), d_k);
    if (model.uses(parameter))
      projected.push_back(parameter);
    else if (model.attention.projection == Projection::Given)
      take(stage, change.begin,
           rows_of(
               model.given[static_cast<std::size_t>(parameter)][static_cast<std::size_t>(change.sequence)]));
    else
      take(stage, change.begin, rows_of(embeddings));
  }
  if (!projected.empty())
    project_blocks(model, projected, rows_of(embeddings),
                   [&](Parameter parameter, Index begin, const MatrixRef& rows) {
                     take(projected_stage(parameter), change.begin + begin, rows);
                   });
}

void TokenStages::project_head(const HeadChange& change) {
  const Model& model = store_->model;
  const Weights& weights = model.weights;
  const Matrix& w = weights.matrix(change.parameter);
  const Index d_k = model.d_k(), first = change.head * d_k;
  const Matrix part = weights.layout == WeightLayout::InOut ? Matrix(w.middleCols(first, d_k))
                                                            : Matrix(w.middleRows(first, d_k));
  Matrix bias;
  if (model.uses_bias(change.parameter)) bias = weights.bias(change.parameter).middleCols(first, d_k);
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence)
    project(store_->of(Stage::Embeddings, sequence, 0), part, weights.layout, bias.size() ? &bias : nullptr,
            store_->of(projected_stage(change.parameter), sequence, change.head));
}

void TokenStages::refresh_concat() {
  const Model& model = store_->model;
  store_->all_of(Stage::Concat).resize(static_cast<std::size_t>(model.sequence_count()));
  note_output();
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence) {
    store_->of(Stage::Concat, sequence, 0).resize(model.token_count(), model.d_out());
    join_heads(sequence, 0);
  }
}

void TokenStages::refresh_concat(const PartChange& part) {
  const Model& model = store_->model;
  if (const auto* rows = std::get_if<RowsChange>(&part)) {
    // With the causal mask, earlier rows do not know of later ones. A strip that was made anew in its turn
    // has moved by no more than its rounding, which shows in `output` when something reaches it.
    join_heads(rows->sequence, model.attention.mask == MaskKind::Causal ? rows->begin : 0);
    return;
  }
  const auto* mask = std::get_if<MaskChange>(&part);
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence)
    join_heads(sequence, mask ? mask->begin : 0);
}

// The rows from there on.
void TokenStages::join_heads(Index sequence, Index first_row) {
  const Model& model = store_->model;
  const Index d_k = model.d_k(), count = model.token_count() - first_row;
  Matrix& concat = store_->of(Stage::Concat, sequence, 0);
  for_each_index(model.head_count(), store_->cells(Stage::Concat), [&](Index head) {
    auto columns = concat.block(first_row, head * d_k, count, d_k);
    if (model.attention.head_enabled(head))
      columns = store_->of(Stage::Context, sequence, head).bottomRows(count);
    else
      columns.setZero();
  });
  Index& from = output_from_[static_cast<std::size_t>(sequence)];
  from = std::min(from, first_row);
}

void TokenStages::note_output() {
  output_from_.assign(static_cast<std::size_t>(store_->model.sequence_count()), 0);
}

void TokenStages::refresh_output() {
  const Model& model = store_->model;
  store_->all_of(Stage::Output).resize(static_cast<std::size_t>(model.sequence_count()));
  const bool projects = model.uses(Parameter::Output);
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence) {
    Index& from = output_from_[static_cast<std::size_t>(sequence)];
    const Matrix& concat = store_->of(Stage::Concat, sequence, 0);
    Matrix& output = store_->of(Stage::Output, sequence, 0);
    if (output.rows() != concat.rows() || output.cols() != stage_columns(model, Stage::Output)) {
      output.resize(concat.rows(), stage_columns(model, Stage::Output));
      from = 0;
    }
    const Index count = concat.rows() - from;
    if (count == 0) continue;
    if (projects)
      project(model, Parameter::Output, concat.bottomRows(count), output.bottomRows(count));
    else
      output.bottomRows(count) = concat.bottomRows(count);
    from = concat.rows();
  }
}

}  // namespace headlight
