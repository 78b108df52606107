#include "engine/attention/evaluator.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/attention/kernels.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/model/projection.h"

namespace headlight {
namespace {

bool in_chain(Stage stage) {
  return stage >= Stage::Scores && stage <= Stage::Context;
}

StageSet reached_by(const CellsEdit& edit) {
  switch (edit.input.kind) {
    case InputKind::Embeddings:
      return with_dependents(stage_bit(Stage::Embeddings));
    case InputKind::Weight:
    case InputKind::Bias:
    case InputKind::Given:
      return with_dependents(stage_bit(projected_stage(edit.input.parameter)));
    case InputKind::Mask:
      return with_dependents(stage_bit(Stage::Masked));
  }
  return kAllStages;
}

StageSet reached_by(const AttentionSettings& before, const AttentionSettings& after) {
  AttentionSettings rest = after;
  rest.scale = before.scale;
  rest.mask = before.mask;
  rest.normalization = before.normalization;
  rest.dropout = before.dropout;
  rest.disabled_heads = before.disabled_heads;
  if (rest != before) return kAllStages;
  StageSet changed = 0;
  if (after.scale != before.scale) changed |= stage_bit(Stage::Scaled);
  if (after.mask != before.mask) changed |= stage_bit(Stage::Masked);
  if (after.normalization != before.normalization) changed |= stage_bit(Stage::Weights);
  if (after.dropout != before.dropout) changed |= stage_bit(Stage::Dropped);
  if (after.disabled_heads != before.disabled_heads) changed |= stage_bit(Stage::Concat);
  return with_dependents(changed);
}

}  // namespace

Evaluator::Evaluator(Model model) : model_(std::move(model)) {
  validate(model_);
}

void Evaluator::apply(const Edit& edit) {
  StageSet reached = kAllStages;
  if (const auto* cells = std::get_if<CellsEdit>(&edit)) {
    reached = reached_by(*cells);
  } else if (std::holds_alternative<MaskEdit>(edit)) {
    reached = with_dependents(stage_bit(Stage::Masked));
  } else if (const auto* settings = std::get_if<SettingsEdit>(&edit)) {
    reached = reached_by(model_.attention, settings->attention);
    // Other settings decide how many heads draw, and what the weights took from the stream before.
    if (reached == kAllStages || settings->attention.dropout != model_.attention.dropout) noise_stale_ = true;
  } else {
    noise_stale_ = true;
  }
  apply_edit(edit, model_);
  const PartChange part = part_reached(edit);
  part_ = stale_ == 0 ? part : joined_with_pending(part);
  stale_ |= reached;
}

void Evaluator::refresh() {
  if (stale_ == 0) return;
  if (const auto* rows = std::get_if<RowsChange>(&part_)) {
    refresh_part(*rows);
  } else if (const auto* head = std::get_if<HeadChange>(&part_)) {
    refresh_part(*head);
  } else {
    for (const StageInfo& info : stage_table())
      if ((stale_ & stage_bit(info.stage)) && info.stage < Stage::Scores) refresh_stage(info.stage);
    refresh_chain(stale_);
    for (const StageInfo& info : stage_table())
      if ((stale_ & stage_bit(info.stage)) && info.stage > Stage::Context) refresh_stage(info.stage);
  }
  stale_ = 0;
  part_ = {};
}

void Evaluator::make_room(StageSet stale, Index sequence, Index head) {
  for (const StageInfo& info : stage_table())
    if (in_chain(info.stage) && (stale & stage_bit(info.stage)))
      stored(info.stage, sequence, head).resize(model_.token_count(), stage_columns(model_, info.stage));
}

void Evaluator::refresh_chain(StageSet stale) {
  if ((stale & stage_bit(Stage::Dropped)) && noise_stale_) refresh_noise();
  if (stale & stage_bit(Stage::Weights)) softmax_.clear();
  const Index heads = model_.head_count(), matrices = model_.sequence_count() * heads;
  Index stages = 0;
  for (const StageInfo& info : stage_table()) {
    if (!in_chain(info.stage) || !(stale & stage_bit(info.stage))) continue;
    stages_[static_cast<std::size_t>(info.stage)].resize(static_cast<std::size_t>(matrices));
    ++stages;
  }
  if (stages == 0) return;
  const double work = matrix_cells(Stage::Scores) * static_cast<double>(matrices * stages);
  for_each_index(matrices, work, [&](Index i) { make_room(stale, i / heads, i % heads); });
  const Index tokens = model_.token_count(), blocks = (tokens + kChainRows - 1) / kChainRows;
  for_each_index(matrices * blocks, work, [&](Index i) {
    const Index matrix = i / blocks, begin = i % blocks * kChainRows;
    refresh_chain_rows(stale, matrix / heads, matrix % heads, begin, std::min(begin + kChainRows, tokens));
  });
}

void Evaluator::refresh_chain_rows(StageSet stale, Index sequence, Index head, Index begin, Index end) {
  const auto rows = [&](Stage stage) { return stored(stage, sequence, head).middleRows(begin, end - begin); };
  const auto is_stale = [&](Stage stage) { return (stale & stage_bit(stage)) != 0; };
  if (is_stale(Stage::Scores))
    score(rows(Stage::Queries), stored(Stage::Keys, sequence, head), rows(Stage::Scores));
  if (is_stale(Stage::Scaled)) scale(rows(Stage::Scores), model_.scale_factor(), rows(Stage::Scaled));
  if (is_stale(Stage::Masked)) apply_mask(rows(Stage::Scaled), model_, begin, rows(Stage::Masked));
  if (is_stale(Stage::Weights))
    normalize_rows(rows(Stage::Masked), model_.attention.normalization, rows(Stage::Weights));
  if (is_stale(Stage::Dropped)) {
    if (model_.attention.dropout.active())
      drop(rows(Stage::Weights), noise(sequence, head).middleRows(begin, end - begin), rows(Stage::Dropped));
    else
      rows(Stage::Dropped) = rows(Stage::Weights);
  }
  if (is_stale(Stage::Context))
    mix(rows(Stage::Dropped), stored(Stage::Values, sequence, head),
        model_.attention.mask == MaskKind::Causal, begin, rows(Stage::Context));
}

void Evaluator::refresh_stage(Stage stage) {
  const Index heads = stage_heads(model_, stage);
  stages_[static_cast<std::size_t>(stage)].resize(static_cast<std::size_t>(model_.sequence_count() * heads));
  for (Index sequence = 0; sequence < model_.sequence_count(); ++sequence) {
    const RowsChange all_rows = {sequence, 0, model_.token_count()};
    switch (stage) {
      case Stage::Queries:
        refresh_projection(stage, Parameter::Query, all_rows);
        break;
      case Stage::Keys:
        refresh_projection(stage, Parameter::Key, all_rows);
        break;
      case Stage::Values:
        refresh_projection(stage, Parameter::Value, all_rows);
        break;
      default:
        for_each_index(heads, matrix_cells(stage) * static_cast<double>(heads),
                       [&](Index head) { refresh_matrix(stage, sequence, head); });
    }
  }
}

double Evaluator::matrix_cells(Stage stage) const {
  return static_cast<double>(model_.token_count()) * static_cast<double>(stage_columns(model_, stage));
}

void Evaluator::refresh_projection(Stage stage, Parameter parameter, const RowsChange& change) {
  const Index count = change.end - change.begin, d_k = model_.d_k();
  const bool given = model_.attention.projection == Projection::Given;
  const Matrix& source =
      given ? model_.given[static_cast<std::size_t>(parameter)][static_cast<std::size_t>(change.sequence)]
            : stored(Stage::Embeddings, change.sequence, 0);
  const auto source_rows = source.middleRows(change.begin, count);
  const Matrix rows =
      model_.uses(parameter) ? projected(model_, parameter, source_rows) : Matrix(source_rows);
  for (Index head = 0; head < model_.head_count(); ++head) {
    Matrix& result = stored(stage, change.sequence, head);
    result.resize(model_.token_count(), d_k);  // keeps the other rows where the shape is the same
    result.middleRows(change.begin, count) = rows.middleCols(head * d_k, d_k);
  }
}

void Evaluator::refresh_matrix(Stage stage, Index sequence, Index head) {
  Matrix& result = stored(stage, sequence, head);
  const auto need = [&](Stage needed) -> const Matrix& { return stored(needed, sequence, head); };
  switch (stage) {
    case Stage::Embeddings:
      result = model_.embeddings[static_cast<std::size_t>(sequence)];
      return;
    case Stage::Concat:
      result.resize(model_.token_count(), model_.d_out());
      for (Index h = 0; h < model_.head_count(); ++h) {
        auto columns = result.middleCols(h * model_.d_k(), model_.d_k());
        if (model_.attention.head_enabled(h))
          columns = stored(Stage::Context, sequence, h);
        else
          columns.setZero();
      }
      return;
    case Stage::Output:
      if (model_.uses(Parameter::Output))
        result = projected(model_, Parameter::Output, need(Stage::Concat));
      else
        result = need(Stage::Concat);
      return;
    default:
      return;  // by refresh_projection, all heads at once, or by refresh_chain
  }
}

void Evaluator::refresh_noise() {
  noise_ = dropout_noise(model_, 0);
  kept_.clear();
  noise_stale_ = false;
}

void Evaluator::draw_mean_to(Index draws) {
  if (draws > 0) kept_.draw_to(model_, draws);
}

Matrix& Evaluator::stored(Stage stage, Index sequence, Index head) {
  return stages_[static_cast<std::size_t>(stage)]
                [static_cast<std::size_t>(sequence * stage_heads(model_, stage) + head)];
}

const Matrix& Evaluator::matrix(Stage stage, Index sequence, Index head) const {
  const Index heads = stage_heads(model_, stage);
  if (sequence < 0 || sequence >= model_.sequence_count() || head < 0 || head >= heads)
    throw Error("there is no sequence " + std::to_string(sequence) + ", head " + std::to_string(head),
                std::string(stage_info(stage).name),
                "there are " + std::to_string(model_.sequence_count()) + " sequences and " +
                    std::to_string(heads) + (heads == 1 ? " head" : " heads") + ", counted from 0");
  return stages_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(sequence * heads + head)];
}

const Matrix& Evaluator::noise(Index sequence, Index head) const {
  static const Matrix kNone;
  matrix(Stage::Dropped, sequence, head);  // throws when there is no such sequence or head
  if (noise_.empty()) return kNone;
  return noise_[static_cast<std::size_t>(sequence * model_.head_count() + head)];
}

MarkRule Evaluator::mark_rule(Stage stage, Index sequence, Index head) const {
  MarkRule rule;
  if (!shows_marks(stage)) return rule;
  rule.causal = model_.attention.mask == MaskKind::Causal;
  if (model_.attention.mask == MaskKind::Custom) rule.allowed = &model_.custom_mask;
  if (stage == Stage::Dropped && !noise_.empty()) rule.noise = &noise(sequence, head);
  return rule;
}

CellMark Evaluator::mark(Stage stage, Index sequence, Index head, Index row, Index column) const {
  return mark_of(mark_rule(stage, sequence, head), row, column);
}

Evaluator evaluate(Model model) {
  Evaluator evaluator(std::move(model));
  evaluator.refresh();
  return evaluator;
}

}  // namespace headlight
