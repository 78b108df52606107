// Refreshing the stages of a model whose scores are kept once: all of them, or what a changed embedding, a
// changed weight of one head or a changed row of the mask reaches.
#include <algorithm>
#include <utility>

#include "engine/attention/evaluator.h"
#include "engine/core/parallel.h"
#include "engine/model/projection.h"

namespace headlight {
namespace {

// More strips than this a thread takes at once where little is done in each.
constexpr Index kStripsTogether = 8;

}  // namespace

Evaluator::PartChange Evaluator::part_reached(const Edit& edit) const {
  const auto* cells = std::get_if<CellsEdit>(&edit);
  if (!cells) return {};
  const Index rows = cells->values.rows();
  switch (cells->input.kind) {
    case InputKind::Embeddings:
    case InputKind::Given:
      // Beyond so many keys it costs less to make the scores anew.
      if (rows * 16 > model_.token_count()) return {};
      return RowsChange{cells->input.sequence, cells->row, cells->row + rows};
    case InputKind::Mask:
      if (model_.attention.mask != MaskKind::Custom) return {};
      return MaskChange{cells->row, cells->row + rows};
    case InputKind::Weight:
    case InputKind::Bias:
      break;
  }
  // Weights are kept while nothing is projected with them.
  if (!model_.uses(cells->input.parameter) || cells->input.parameter == Parameter::Output) return {};
  const bool by_columns =
      cells->input.kind == InputKind::Bias || model_.weights.layout == WeightLayout::InOut;
  const Index first = by_columns ? cells->column : cells->row;
  const Index count = by_columns ? cells->values.cols() : rows;
  const Index head = first / model_.d_k();
  if (count == 0 || (first + count - 1) / model_.d_k() != head) return {};
  return HeadChange{cells->input.parameter, head};
}

Evaluator::PartChange Evaluator::joined_with_pending(const PartChange& next) const {
  if (const auto* a = std::get_if<RowsChange>(&part_), *b = std::get_if<RowsChange>(&next); a && b) {
    const Index begin = std::min(a->begin, b->begin), end = std::max(a->end, b->end);
    if (a->sequence == b->sequence && (end - begin) * 16 <= model_.token_count())
      return RowsChange{a->sequence, begin, end};
  }
  if (const auto* a = std::get_if<HeadChange>(&part_), *b = std::get_if<HeadChange>(&next); a && b)
    if (a->parameter == b->parameter && a->head == b->head) return next;
  if (const auto* a = std::get_if<MaskChange>(&part_), *b = std::get_if<MaskChange>(&next); a && b)
    return MaskChange{std::min(a->begin, b->begin), std::max(a->end, b->end)};
  return {};
}

StripRules Evaluator::rules(Index sequence, Index head) const {
  StripRules rules;
  rules.factor = model_.scale_factor();
  rules.causal = model_.attention.mask == MaskKind::Causal;
  if (model_.attention.mask == MaskKind::Custom) {
    rules.allowed = &model_.custom_mask;
    rules.mask = mask_.get();
  }
  if (!noise_.empty()) rules.noise = &noise(sequence, head);
  return rules;
}

Index Evaluator::open_cells() const {
  const Index tokens = model_.token_count();
  if (model_.attention.mask == MaskKind::Causal) return tokens * (tokens + 1) / 2;
  return model_.attention.mask == MaskKind::Custom ? mask_->open_cells() : tokens * tokens;
}

HeadStrips& Evaluator::strips(Index sequence, Index head) {
  return strips_[static_cast<std::size_t>(sequence * model_.head_count() + head)];
}

const HeadStrips& Evaluator::strips(Index sequence, Index head) const {
  return strips_[static_cast<std::size_t>(sequence * model_.head_count() + head)];
}

bool Evaluator::refresh_scores_part() {
  if (const auto* rows = std::get_if<RowsChange>(&part_))
    refresh_part(*rows);
  else if (const auto* head = std::get_if<HeadChange>(&part_))
    refresh_part(*head);
  else if (const auto* mask = std::get_if<MaskChange>(&part_))
    refresh_part(*mask);
  else
    return false;
  return true;
}

bool Evaluator::scores_finite() const {
  return std::all_of(strips_.begin(), strips_.end(), [](const HeadStrips& kept) { return kept.finite(); });
}

void Evaluator::redo_strips(Index sequence, Index head, Index begin, Index end, Redo redo) {
  const StripRules rule = rules(sequence, head);
  HeadStrips& kept = strips(sequence, head);
  for (Index strip = begin; strip < end; ++strip) {
    if (redo == Redo::Scores) kept.score(strip, stored(Stage::Queries, sequence, head), rule.causal);
    kept.weigh(strip, rule, stored(Stage::Context, sequence, head));
  }
}

// One strip of a head after `change`, which has reached queries, keys and values already.
void Evaluator::move_rows(const RowsChange& change, Index head, const Matrix& values_before, Index strip) {
  const Index first = strip * HeadStrips::width(), last = first + HeadStrips::width();
  const StripRules rule = rules(change.sequence, head);
  HeadStrips& kept = strips(change.sequence, head);
  Matrix& context = stored(Stage::Context, change.sequence, head);
  if (first < change.end && last > change.begin) {
    redo_strips(change.sequence, head, strip, strip + 1, Redo::Scores);
    return;
  }
  kept.note_moved(strip, {change.begin, change.end});
  // The context of the other rows is moved by adding and taking away, whose errors add up: strip after strip
  // it is made anew in turn.
  bool moved = strip != turn_;
  if (!rule.causal || first >= change.end)
    for (Index key = change.begin; key < change.end; ++key)
      moved &= kept.move_key(
          strip,
          {key, stored(Stage::Queries, change.sequence, head), stored(Stage::Values, change.sequence, head),
           values_before.row(key - change.begin).segment(head * model_.d_k(), model_.d_k())},
          rule, context);
  if (!moved) kept.weigh(strip, rule, context);
}

void Evaluator::refresh_part(const RowsChange& change) {
  const Index rows = change.end - change.begin, heads = model_.head_count(), d_k = model_.d_k();
  Matrix values_before(rows, model_.d_out());
  for (Index head = 0; head < heads; ++head)
    values_before.middleCols(head * d_k, d_k) =
        stored(Stage::Values, change.sequence, head).middleRows(change.begin, rows);
  stored(Stage::Embeddings, change.sequence, 0).middleRows(change.begin, rows) =
      model_.embeddings[static_cast<std::size_t>(change.sequence)].middleRows(change.begin, rows);
  refresh_projections(kAllStages, change);
  for (Index head = 0; head < heads; ++head) {
    HeadStrips& kept = strips(change.sequence, head);
    kept.panels().take_keys(stored(Stage::Keys, change.sequence, head), change.begin, change.end);
    kept.panels().take_values(stored(Stage::Values, change.sequence, head), change.begin, change.end);
  }
  const Index count = strips_.front().count();
  turn_ = (turn_ + 1) % count;
  const Index parts = (count + kStripsTogether - 1) / kStripsTogether;
  for_each_index(heads * parts, matrix_cells(Stage::Queries) * static_cast<double>(heads), [&](Index i) {
    const Index head = i / parts, begin = i % parts * kStripsTogether;
    for (Index strip = begin; strip < std::min(begin + kStripsTogether, count); ++strip)
      move_rows(change, head, values_before, strip);
  });
  // With the causal mask, earlier rows do not know of later ones. The strip whose turn it was has moved by no
  // more than its rounding, which shows in `output` when something reaches it.
  refresh_concat(change.sequence, model_.attention.mask == MaskKind::Causal ? change.begin : 0);
}

void Evaluator::refresh_part(const HeadChange& change) {
  const Stage projected = projected_stage(change.parameter);
  const Weights& weights = model_.weights;
  const Matrix& w = weights.matrix(change.parameter);
  const Index d_k = model_.d_k(), first = change.head * d_k, tokens = model_.token_count();
  const Matrix part = weights.layout == WeightLayout::InOut ? Matrix(w.middleCols(first, d_k))
                                                            : Matrix(w.middleRows(first, d_k));
  Matrix bias;
  if (model_.uses_bias(change.parameter)) bias = weights.bias(change.parameter).middleCols(first, d_k);
  for (Index sequence = 0; sequence < model_.sequence_count(); ++sequence) {
    Matrix& made = stored(projected, sequence, change.head);
    project(stored(Stage::Embeddings, sequence, 0), part, weights.layout, bias.size() ? &bias : nullptr,
            made);
    HeadStrips& kept = strips(sequence, change.head);
    if (projected == Stage::Keys) kept.panels().take_keys(made, 0, tokens);
    if (projected == Stage::Values) kept.panels().take_values(made, 0, tokens);
    const Redo redo = projected == Stage::Values ? Redo::Weights : Redo::Scores;
    for_each_index(kept.count(), matrix_cells(Stage::Scores),
                   [&](Index strip) { redo_strips(sequence, change.head, strip, strip + 1, redo); });
    refresh_concat(sequence, 0);
  }
}

void Evaluator::refresh_part(const MaskChange& change) {
  mask_->take_rows(model_.custom_mask, change.begin, change.end);
  const Index width = HeadStrips::width(), heads = model_.head_count();
  const Index begin = change.begin / width, end = (change.end + width - 1) / width;
  for (Index sequence = 0; sequence < model_.sequence_count(); ++sequence) {
    for_each_index(heads, matrix_cells(Stage::Scores), [&](Index head) {
      strips(sequence, head).forget_pools();
      redo_strips(sequence, head, begin, end, Redo::Weights);
    });
    refresh_concat(sequence, change.begin);
  }
}

}  // namespace headlight
