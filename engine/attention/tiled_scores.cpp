#include "engine/attention/tiled_scores.h"

#include <algorithm>

#include "engine/attention/strip_tile.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

// How many strips a thread takes at once when each needs little work.
constexpr Index kStripsTogether = 8;

}  // namespace

HeadStrips& TiledScores::strips(Index sequence, Index head) {
  return strips_[static_cast<std::size_t>(sequence * store_.layer->head_count() + head)];
}

const HeadStrips& TiledScores::strips(Index sequence, Index head) const {
  return strips_[static_cast<std::size_t>(sequence * store_.layer->head_count() + head)];
}

StripRules TiledScores::rules(Index sequence, Index head) const {
  StripRules rules = rules_of(store_, sequence, head);
  if (rules.allowed) rules.mask = mask_.get();
  return rules;
}

Index TiledScores::open_cells(Index sequence) const {
  if (mask_) return mask_->open_cells();
  const KeyBand& band = scored_bands_[static_cast<std::size_t>(sequence)];
  Index cells = 0;
  for (Index query = 0; query < store_.layer->token_count(); ++query)
    cells += band.end(query) - band.begin(query);
  return cells;
}

std::vector<KeyBand> TiledScores::bands() const {
  std::vector<KeyBand> bands;
  for (Index sequence = 0; sequence < store_.layer->sequence_count(); ++sequence)
    bands.push_back(store_.layer->key_band(sequence));
  return bands;
}

void TiledScores::begin(StageSet stale, StageSet /*requested*/) {
  pass_.begin(0);
  if (!any_of(stale, stage_bit(Stage::Context))) return;
  const Layer& layer = store_.layer;
  const Index heads = layer.head_count(), matrices = store_.matrices();
  const std::vector<KeyBand> bands = this->bands();
  redo_ = any_of(stale, stage_bit(Stage::Scores)) || bands != scored_bands_ ? Redo::Scores : Redo::Weights;
  scored_bands_ = bands;
  if (any_of(stale, stage_bit(Stage::Masked)))
    mask_ =
        layer.attention.mask == MaskKind::Custom ? std::make_unique<MaskStrips>(layer.custom_mask) : nullptr;
  while (static_cast<Index>(strips_.size()) > matrices)
    strips_.pop_back();
  while (static_cast<Index>(strips_.size()) < matrices)
    strips_.emplace_back(store_.workspace);
  store_.all_of(Stage::Context).resize(static_cast<std::size_t>(matrices));
  for_each_index(matrices, head_work() * static_cast<double>(matrices),
                 [&](Index i) { take_inputs(stale, i / heads, i % heads); });
  pass_.begin(matrices * strips_.front().count());
}

void TiledScores::take_inputs(StageSet stale, Index sequence, Index head) {
  const Matrix &keys = store_.scored_keys(sequence, head), &values = store_.mixed_values(sequence, head);
  HeadStrips& kept = strips(sequence, head);
  store_.of(Stage::Context, sequence, head)
      .resize(store_.scored_queries(sequence, head).rows(), values.cols());
  if (redo_ == Redo::Scores) {
    kept.reshape(store_.layer->token_count(), keys.rows(), keys.cols(), values.cols(),
                 scored_bands_[static_cast<std::size_t>(sequence)]);
    kept.panels().take_keys(keys, 0, keys.rows());
  }
  if (any_of(stale, stage_bit(Stage::Masked))) kept.forget_pools();
  if (redo_ == Redo::Scores || any_of(stale, stage_bit(Stage::Values)))
    kept.panels().take_values(values, 0, values.rows());
}

bool TiledScores::go_on(Clock::time_point until) {
  if (pass_.over()) return true;
  const Index strips = strips_.front().count(), heads = store_.layer->head_count();
  pass_.go_on(until, head_work() * static_cast<double>(HeadStrips::width()), [&](Index task) {
    const Index matrix = task / strips, strip = task % strips;
    redo_strips(matrix / heads, matrix % heads, strip, strip + 1, redo_);
  });
  return pass_.over();
}

double TiledScores::progress() const {
  return pass_.over() ? 1.0 : static_cast<double>(pass_.done()) / static_cast<double>(pass_.count());
}

bool TiledScores::holds() const {
  return std::all_of(strips_.begin(), strips_.end(), [](const HeadStrips& kept) { return kept.finite(); });
}

void TiledScores::redo_strips(Index sequence, Index head, Index begin, Index end, Redo redo) {
  const StripRules rule = rules(sequence, head);
  HeadStrips& kept = strips(sequence, head);
  for (Index strip = begin; strip < end; ++strip) {
    if (redo == Redo::Scores) kept.score(strip, store_.scored_queries(sequence, head));
    kept.softmax_strip(strip, rule, store_.of(Stage::Context, sequence, head));
  }
}

bool TiledScores::prepare(const ChangeScope& change) {
  if (const auto* rows = std::get_if<RowsChange>(&change)) {
    const Index d_v = store_.layer->d_v(), heads = store_.layer->kv_head_count();
    values_before_.resize(rows->end - rows->begin, heads * d_v);
    for (Index head = 0; head < heads; ++head)
      values_before_.middleCols(head * d_v, d_v) =
          store_.of(Stage::Values, rows->sequence, head).middleRows(rows->begin, values_before_.rows());
  }
  return !std::holds_alternative<std::monostate>(change);
}

void TiledScores::follow(const ChangeScope& change) {
  if (const auto* rows = std::get_if<RowsChange>(&change)) follow_part(*rows);
  if (const auto* head = std::get_if<HeadChange>(&change)) follow_part(*head);
  if (const auto* mask = std::get_if<MaskChange>(&change)) follow_part(*mask);
}

void TiledScores::follow_part(const RowsChange& change) {
  const Index heads = store_.layer->head_count();
  for (Index head = 0; head < heads; ++head) {
    HeadPanels& panels = strips(change.sequence, head).panels();
    panels.take_keys(store_.scored_keys(change.sequence, head), change.begin, change.end);
    panels.take_values(store_.mixed_values(change.sequence, head), change.begin, change.end);
  }
  const Index count = strips_.front().count();
  turn_ = (turn_ + 1) % count;
  const Index parts = (count + kStripsTogether - 1) / kStripsTogether;
  for_each_index(heads * parts, head_work() * static_cast<double>(heads), [&](Index i) {
    const Index head = i / parts, begin = i % parts * kStripsTogether;
    for (Index strip = begin; strip < std::min(begin + kStripsTogether, count); ++strip)
      move_rows(change, head, strip);
  });
}

// Updates one strip of a head after `change`, which is already in queries, keys and values.
void TiledScores::move_rows(const RowsChange& change, Index head, Index strip) {
  const Index first = strip * HeadStrips::width(), last = first + HeadStrips::width();
  const Index d_v = store_.layer->d_v(), value_head = store_.layer->kv_head_of(head);
  const StripRules rule = rules(change.sequence, head);
  HeadStrips& kept = strips(change.sequence, head);
  Matrix& context = store_.of(Stage::Context, change.sequence, head);
  if (first < change.end && last > change.begin) {
    redo_strips(change.sequence, head, strip, strip + 1, Redo::Scores);
    return;
  }
  kept.note_moved(strip, {change.begin, change.end});
  // The context of the other rows is updated by adding and subtracting, whose errors add up: so each change
  // recomputes one strip in full, in turn.
  bool moved = strip != turn_;
  for (Index key = change.begin; key < change.end; ++key)
    moved &= kept.move_key(
        strip,
        {key, store_.scored_queries(change.sequence, head), store_.mixed_values(change.sequence, head),
         values_before_.row(key - change.begin).segment(value_head * d_v, d_v)},
        rule, context);
  if (!moved) kept.softmax_strip(strip, rule, context);
}

void TiledScores::follow_part(const HeadChange& change) {
  const Redo redo = change.parameter == Parameter::Value ? Redo::Weights : Redo::Scores;
  // With grouped-query attention, one head of keys or values serves several heads of queries.
  const Index group = store_.layer->head_count() / head_shape(store_.layer, change.parameter).count;
  for (Index sequence = 0; sequence < store_.layer->sequence_count(); ++sequence)
    for (Index head = change.head * group; head < (change.head + 1) * group; ++head) {
      const Matrix &keys = store_.scored_keys(sequence, head), &values = store_.mixed_values(sequence, head);
      HeadStrips& kept = strips(sequence, head);
      if (change.parameter == Parameter::Key) kept.panels().take_keys(keys, 0, keys.rows());
      if (change.parameter == Parameter::Value) kept.panels().take_values(values, 0, values.rows());
      for_each_index(kept.count(), store_.cells(Stage::Scores),
                     [&](Index strip) { redo_strips(sequence, head, strip, strip + 1, redo); });
    }
}

void TiledScores::follow_part(const MaskChange& change) {
  mask_->take_rows(store_.layer->custom_mask, change.begin, change.end);
  const Index width = HeadStrips::width();
  const Index begin = change.begin / width, end = (change.end + width - 1) / width;
  for (Index sequence = 0; sequence < store_.layer->sequence_count(); ++sequence)
    for_each_index(store_.layer->head_count(), store_.cells(Stage::Scores), [&](Index head) {
      strips(sequence, head).forget_pools();
      redo_strips(sequence, head, begin, end, Redo::Weights);
    });
}

const Matrix& TiledScores::matrix(Stage stage, Index sequence, Index head) const {
  return made_.get(stage, sequence, head, rows(stage, sequence, head));
}

RowSource TiledScores::rows(Stage stage, Index sequence, Index head) const {
  const Matrix &q = store_.scored_queries(sequence, head), &k = store_.scored_keys(sequence, head);
  return RowSource(q.rows(), k.rows(), HeadStrips::width(),
                   [stage, &q = q, &k = k, rules = rules(sequence, head), &strips = strips(sequence, head)](
                       Index first, MatrixOut rows) {
                     strips.read(stage, first / HeadStrips::width(), q, k, rules, rows);
                   });
}

std::optional<Tile> TiledScores::tile(const TileRequest& request) const {
  return strip_tile(request, strips(request.sequence, request.head),
                    store_.scored_queries(request.sequence, request.head),
                    rules(request.sequence, request.head), open_cells(request.sequence));
}

HeadSummary TiledScores::head(Index sequence, Index head) const {
  const HeadStrips& kept = strips(sequence, head);
  HeadSums sums;
  for (Index strip = 0; strip < kept.count(); ++strip)
    kept.add_to(sums, strip, rules(sequence, head));
  return sums.means();
}

}  // namespace headlight
