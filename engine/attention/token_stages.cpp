#include "engine/attention/token_stages.h"

#include <algorithm>
#include <array>

#include "engine/core/parallel.h"
#include "engine/layer/overwriting.h"
#include "engine/layer/projection.h"

namespace headlight {
namespace {

constexpr std::array kInputStages = {Stage::Queries, Stage::Keys, Stage::Values, Stage::RotatedQueries,
                                     Stage::RotatedKeys};

// Rows per copy task: few enough that the cache still holds them while they are split into heads.
constexpr Index kCopiedRows = 64;

// The first query that has changed itself or may attend to a key from `key` on.
Index first_invalidated(const KeyBand& band, Index key, Index queries) {
  if (band.to >= queries) return 0;
  return std::clamp<Index>(std::min(key, key - band.to + 1), 0, queries);
}

}  // namespace

void TokenStages::refresh_inputs(StageSet stale) {
  const Layer& layer = store_->layer;
  stale &= store_->existing;
  for (const Stage stage : kInputStages)
    if (any_of(stale, stage_bit(stage)))
      store_->all_of(stage).resize(
          static_cast<std::size_t>(layer.sequence_count() * stage_heads(layer, stage)));
  prepare_rotations();
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence) {
    project_rows(stale, sequence, {});
    apply_rope(stale, sequence, {});
    overwrite_inputs(stale, sequence);
  }
}

void TokenStages::overwrite_inputs(StageSet stages, Index sequence) {
  const Layer& layer = store_->layer;
  for (const Stage stage : kInputStages)
    if (any_of(stages, stage_bit(stage)))
      for (Index head = 0; head < stage_heads(layer, stage); ++head)
        overwrite(layer, stage, sequence, head, 0, store_->of(stage, sequence, head));
}

void TokenStages::refresh_inputs(const ChangeScope& part) {
  if (const auto* head = std::get_if<HeadChange>(&part)) project_head(*head);
  const auto* rows = std::get_if<RowsChange>(&part);
  if (!rows) return;
  const Span changed = {rows->begin, rows->end};
  project_rows(store_->existing, rows->sequence, changed);
  apply_rope(store_->existing, rows->sequence, changed);
}

// The matrix that rows of the stage are copied or projected from.
const Matrix& TokenStages::source_of(Parameter parameter, Index sequence) const {
  const Layer& layer = store_->layer;
  const auto& given = layer.given[static_cast<std::size_t>(parameter)];
  if (!given.empty()) return given[static_cast<std::size_t>(sequence)];
  return layer.projection_input(parameter, sequence);
}

void TokenStages::project_rows(StageSet stages, Index sequence, std::optional<Span> changed) {
  const Layer& layer = store_->layer;
  // Splits computed rows into their heads.
  const auto take = [&](Parameter parameter, Index begin, const MatrixRef& rows) {
    const HeadShape heads = head_shape(layer, parameter);
    for (Index head = 0; head < heads.count; ++head)
      store_->of(projected_stage(parameter), sequence, head).middleRows(begin, rows.rows()) =
          rows.middleCols(head * heads.width, heads.width);
  };
  const auto rows_of = [&](const Matrix& from) {
    const Span all = {0, from.rows()}, rows = changed.value_or(all);
    return from.middleRows(rows.begin, rows.size());
  };
  const Index first = changed ? changed->begin : 0;
  std::vector<Parameter> projected;
  const auto project_together = [&] {
    if (projected.empty()) return;
    project_blocks(
        layer, projected, rows_of(source_of(projected.front(), sequence)),
        [&](Parameter parameter, Index begin, const MatrixRef& rows) {
          take(parameter, first + begin, rows);
        },
        store_->workspace);
    projected.clear();
  };
  for (const Parameter parameter : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    const Stage stage = projected_stage(parameter);
    if (!any_of(stages, stage_bit(stage))) continue;
    const HeadShape heads = head_shape(layer, parameter);
    const Matrix& source = source_of(parameter, sequence);
    for (Index head = 0; head < heads.count; ++head)  // does not reallocate if the shape is the same
      store_->of(stage, sequence, head).resize(source.rows(), heads.width);
    if (!layer.uses(parameter)) {
      const auto rows = rows_of(source);
      for_each_index((rows.rows() + kCopiedRows - 1) / kCopiedRows, static_cast<double>(rows.size()),
                     [&](Index block) {
                       const Index begin = block * kCopiedRows;
                       take(parameter, first + begin,
                            rows.middleRows(begin, std::min(kCopiedRows, rows.rows() - begin)));
                     });
      continue;
    }
    if (!projected.empty() && &source != &source_of(projected.front(), sequence)) project_together();
    projected.push_back(parameter);
  }
  project_together();
}

void TokenStages::prepare_rotations() {
  const Layer& layer = store_->layer;
  if (!store_->exists(Stage::RotatedQueries)) return;
  const Position& position = layer.attention.position;
  const std::array<Index, 3> shape = {layer.rotary_dims(), layer.token_count(), layer.key_count()};
  if (rotated_as_ == position && rotated_shape_ == shape) return;
  rotated_as_ = position;
  rotated_shape_ = shape;
  query_rotation_ = Rotation(position, layer.rotary_dims(), position.start, layer.token_count());
  key_rotation_ = Rotation(position, layer.rotary_dims(), position.key_start, layer.key_count());
}

void TokenStages::apply_rope_to_head(Stage stage, Index sequence, Index head, std::optional<Span> changed) {
  const bool queries = stage == Stage::RotatedQueries;
  const Matrix& from = store_->of(queries ? Stage::Queries : Stage::Keys, sequence, head);
  Matrix& to = store_->of(stage, sequence, head);
  to.resize(from.rows(), from.cols());
  const Span all = {0, from.rows()}, rows = changed.value_or(all);
  (queries ? query_rotation_ : key_rotation_)
      .apply_rope(from.middleRows(rows.begin, rows.size()), rows.begin,
                  to.middleRows(rows.begin, rows.size()));
}

void TokenStages::apply_rope(StageSet stages, Index sequence, std::optional<Span> changed) {
  for (const Stage stage : {Stage::RotatedQueries, Stage::RotatedKeys})
    if (any_of(stages, stage_bit(stage)))
      for_each_index(stage_heads(store_->layer, stage), store_->cells(stage),
                     [&](Index head) { apply_rope_to_head(stage, sequence, head, changed); });
}

void TokenStages::project_head(const HeadChange& change) {
  const Layer& layer = store_->layer;
  const Weights& weights = layer.weights;
  const Matrix& w = weights.matrix(change.parameter);
  const Index width = head_shape(layer, change.parameter).width, first = change.head * width;
  const Matrix part = weights.layout == WeightLayout::InOut ? Matrix(w.middleCols(first, width))
                                                            : Matrix(w.middleRows(first, width));
  Matrix bias;
  if (layer.uses_bias(change.parameter)) bias = weights.bias(change.parameter).middleCols(first, width);
  const Stage turned = change.parameter == Parameter::Query ? Stage::RotatedQueries : Stage::RotatedKeys;
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence) {
    project(source_of(change.parameter, sequence), part, weights.layout, bias.size() ? &bias : nullptr,
            store_->of(projected_stage(change.parameter), sequence, change.head), store_->workspace);
    if (change.parameter != Parameter::Value && store_->exists(turned))
      apply_rope_to_head(turned, sequence, change.head, {});
  }
}

void TokenStages::refresh_concat() {
  if (!store_->exists(Stage::Concat)) return;
  const Layer& layer = store_->layer;
  store_->all_of(Stage::Concat).resize(static_cast<std::size_t>(layer.sequence_count()));
  note_output();
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence) {
    store_->of(Stage::Concat, sequence, 0).resize(layer.token_count(), layer.concat_width());
    join_heads(sequence, 0);
  }
}

void TokenStages::refresh_concat(const ChangeScope& part) {
  const Layer& layer = store_->layer;
  if (const auto* rows = std::get_if<RowsChange>(&part)) {
    // With the causal mask, earlier rows do not depend on later ones. A strip that is recomputed in turn
    // changes only in its rounding; `output` picks that up with the next change that affects its rows.
    join_heads(rows->sequence,
               first_invalidated(layer.key_band(rows->sequence), rows->begin, layer.token_count()));
    return;
  }
  const auto* mask = std::get_if<MaskChange>(&part);
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence)
    join_heads(sequence, mask ? mask->begin : 0);
}

// Copies the rows of each head's context from first_row on into concat.
void TokenStages::join_heads(Index sequence, Index first_row) {
  const Layer& layer = store_->layer;
  const Index d_v = layer.d_v(), count = layer.token_count() - first_row;
  Matrix& concat = store_->of(Stage::Concat, sequence, 0);
  for_each_index(layer.head_count(), store_->cells(Stage::Concat), [&](Index head) {
    auto columns = concat.block(first_row, head * d_v, count, d_v);
    if (layer.attention.head_enabled(head))
      columns = store_->of(Stage::Context, sequence, head).bottomRows(count);
    else
      columns.setZero();
  });
  Index& from = output_from_[static_cast<std::size_t>(sequence)];
  from = std::min(from, first_row);
}

void TokenStages::note_output() {
  output_from_.assign(static_cast<std::size_t>(store_->layer->sequence_count()), 0);
}

void TokenStages::refresh_output() {
  if (!store_->exists(Stage::Output)) return;
  const Layer& layer = store_->layer;
  if (!store_->projects_output()) {  // it is `concat`
    store_->all_of(Stage::Output).clear();
    return;
  }
  store_->all_of(Stage::Output).resize(static_cast<std::size_t>(layer.sequence_count()));
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence) {
    Index& from = output_from_[static_cast<std::size_t>(sequence)];
    const Matrix& concat = store_->of(Stage::Concat, sequence, 0);
    Matrix& output = store_->of(Stage::Output, sequence, 0);
    if (output.rows() != concat.rows() || output.cols() != stage_columns(layer, Stage::Output)) {
      output.resize(concat.rows(), stage_columns(layer, Stage::Output));
      from = 0;
    }
    const Index count = concat.rows() - from;
    if (count == 0) continue;
    project(layer, Parameter::Output, concat.bottomRows(count), output.bottomRows(count), store_->workspace);
    from = concat.rows();
  }
}

}  // namespace headlight
