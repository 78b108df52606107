#include "engine/attention/evaluator.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "engine/attention/invalidation.h"
#include "engine/attention/trace.h"
#include "engine/core/error.h"
#include "engine/layer/overwriting.h"

namespace headlight {
namespace {

constexpr StageSet kOutput = stage_bit(Stage::Output);

bool changes_given_weights(const Edit& edit) {
  const auto given = [](const CellsEdit& cells) { return cells.input.kind == InputKind::GivenWeights; };
  const auto* cells = std::get_if<CellsEdit>(&edit);
  const auto* several = std::get_if<BlocksEdit>(&edit);
  return std::holds_alternative<LayerEdit>(edit) || (cells && given(*cells)) ||
         (several && std::any_of(several->blocks.begin(), several->blocks.end(), given));
}

}  // namespace

Evaluator::Evaluator(Layer layer, StorageKind storage, double memory_budget)
    : Evaluator(SharedLayer(std::move(layer)), storage, memory_budget) {}

Evaluator::Evaluator(std::shared_ptr<const Layer> layer, StorageKind storage, double memory_budget)
    : Evaluator(SharedLayer(std::move(layer)), storage, memory_budget) {}

Evaluator::Evaluator(SharedLayer layer, StorageKind storage, double memory_budget)
    : store_(std::make_unique<StageStore>()),
      tokens_(*store_),
      requested_storage_(storage),
      memory_budget_(memory_budget) {
  store_->layer = std::move(layer);
  validate(store_->layer);
  store_->existing = existing_stages(store_->layer);
}

void Evaluator::apply(const Edit& edit) {
  const StageSet reached = invalidated_by(edit, store_->layer);
  const auto* settings = std::get_if<SettingsEdit>(&edit);
  // Other settings change how many heads draw noise, and how much of the random stream the weights consume
  // before the noise.
  if (std::holds_alternative<LayerEdit>(edit) ||
      (settings &&
       (reached == kAllStages || settings->attention.dropout != store_->layer->attention.dropout)))
    noise_stale_ = true;
  if (const auto* whole = std::get_if<LayerEdit>(&edit)) {
    validate(*whole->layer);
    store_->layer = SharedLayer(whole->layer);
  } else {
    apply_edit(edit, store_->layer.edit());
  }
  store_->existing = existing_stages(store_->layer);
  if (changes_given_weights(edit)) weight_report_.reset();
  if (reached == 0) return;
  const ChangeScope part = change_scope_of(edit, store_->layer);
  part_ = (stale_ & ~kOutput) != 0 ? joined(part_, part, store_->layer->token_count()) : part;
  stale_ |= reached;
  // Other edits mark the stale rows of `output` through refresh_concat().
  if (reached == kOutput) tokens_.note_output();
  if (pairs_) pairs_->discard_computed();
  // A retry, or an interrupted pass: no stored stage can be reused.
  if (!finite_ || under_way_) {
    stale_ = kAllStages;
    part_ = {};
  }
  finite_ = true;
  under_way_ = false;
}

double Evaluator::progress() const {
  return under_way_ ? pairs_->progress() : 1.0;
}

void Evaluator::refresh(StageSet requested) {
  refresh_for(std::numeric_limits<double>::infinity(), requested);
}

bool Evaluator::refresh_for(double milliseconds, StageSet requested) {
  const StageSet missing = pairs_ ? pairs_->missing(requested) : StageSet{0};
  if (stale_ == 0 && missing == 0) return true;
  constexpr double kLongest = 1e9;
  using Clock = ScoreStore::Clock;
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double, std::milli>(std::min(milliseconds, kLongest)));
  if ((stale_ & ~kOutput) != 0 || missing != 0) {
    if (!go_on(until, requested)) return false;
    // Only the change of one head leaves the other heads exactly as they were: a change of rows also
    // recomputes strips in turn, which changes their rounding.
    const bool grouped = layer().kv_head_count() != layer().head_count();
    const auto* one = follows_ && !grouped ? std::get_if<HeadChange>(&part_) : nullptr;
    versions_.note(layer(), stale_ & ~kOutput, one ? std::optional(one->head) : std::nullopt);
    if (missing != 0) versions_.note(layer(), missing);
    part_ = {};
    stale_ &= kOutput;
    // The pass began with a smaller request.
    if (pairs_->missing(requested) != 0) return refresh_for(milliseconds, requested);
  }
  if (!(requested & kOutput)) return true;
  versions_.note(layer(), stale_ & kOutput);
  tokens_.refresh_output();
  stale_ = 0;
  return true;
}

bool Evaluator::go_on(ScoreStore::Clock::time_point until, StageSet requested) {
  for (;;) {
    if (!under_way_) begin(requested);
    while (under_way_) {
      under_way_ = !pairs_->go_on(until);
      if (under_way_ && ScoreStore::Clock::now() >= until) return false;
    }
    if (pairs_->holds()) break;
    finite_ = false;
    stale_ = kAllStages;
  }
  if (!follows_ && any_of(stale_, stage_bit(Stage::Concat))) tokens_.refresh_concat();
  return true;
}

// If the kind of storage changes, nothing stored can be reused.
void Evaluator::choose_storage() {
  const StorageKind best = best_storage(store_->layer, {requested_storage_, memory_budget_, finite_});
  if (pairs_ && pairs_->kind() == best) return;
  stale_ = kAllStages;
  part_ = {};
  pairs_.reset();  // before creating the new one: both may not fit in memory
  pairs_ = make_score_store(best, *store_, memory_budget_);
}

void Evaluator::begin(StageSet requested) {
  choose_storage();
  follows_ = pairs_->prepare(part_);
  if (follows_) {
    tokens_.refresh_inputs(part_);
    pairs_->follow(part_);
    tokens_.refresh_concat(part_);
    return;
  }
  tokens_.refresh_inputs(stale_);
  if (noise_stale_ && any_of(stale_, stage_bit(Stage::Dropped))) refresh_noise();
  pairs_->begin(stale_, requested);
  under_way_ = true;
}

void Evaluator::refresh_noise() {
  draw_dropout_noise(store_->layer, 0, store_->noise);
  kept_.clear();
  noise_stale_ = false;
}

std::shared_ptr<const WeightReport> Evaluator::weight_report() {
  if (!weight_report_ && !layer().given_weights.empty())
    weight_report_ = std::make_shared<const WeightReport>(report_weights(layer().given_weights));
  return weight_report_;
}

void Evaluator::draw_mean_to(Index draws) {
  if (draws > 0) kept_.draw_to(store_->layer, draws);
}

void Evaluator::check_address(Stage stage, Index sequence, Index head) const {
  if (!store_->exists(stage))
    throw Error(why_no_stage(layer(), stage), std::string(stage_info(stage).name), "ask for another stage");
  const Index heads = stage_heads(layer(), stage);
  if (sequence < 0 || sequence >= layer().sequence_count() || head < 0 || head >= heads)
    throw Error("there is no sequence " + std::to_string(sequence) + ", head " + std::to_string(head),
                std::string(stage_info(stage).name),
                "there are " + std::to_string(layer().sequence_count()) + " sequences and " +
                    std::to_string(heads) + (heads == 1 ? " head" : " heads") + ", counted from 0");
}

std::uint64_t Evaluator::version(Stage stage, Index sequence, Index head) const {
  check_address(stage, sequence, head);
  return versions_.of(layer(), stage, sequence, head);
}

const Matrix& Evaluator::matrix(Stage stage, Index sequence, Index head) const {
  check_address(stage, sequence, head);
  return is_pair(stage) ? pairs_->matrix(stage, sequence, head) : store_->of(stage, sequence, head);
}

RowSource Evaluator::rows(Stage stage, Index sequence, Index head) const {
  check_address(stage, sequence, head);
  return is_pair(stage) ? pairs_->rows(stage, sequence, head) : RowSource(store_->of(stage, sequence, head));
}

const Matrix& Evaluator::noise(Index sequence, Index head) const {
  static const Matrix kNone;
  check_address(Stage::Dropped, sequence, head);
  const Matrix* noise = store_->noise_of(sequence, head);
  return noise ? *noise : kNone;
}

MarkRule Evaluator::mark_rule(Stage stage, Index sequence, Index head) const {
  MarkRule marks;
  if (!shows_marks(stage)) return marks;
  marks.open = layer().open_cells(sequence, head);
  if (stage != Stage::Masked && is_overwritten(layer(), Stage::Weights, sequence, head)) {
    marks.own = &layer();
    marks.sequence = sequence;
    marks.head = head;
  }
  if (stage == Stage::Dropped) marks.noise = store_->noise_of(sequence, head);
  return marks;
}

CellMark Evaluator::mark(Stage stage, Index sequence, Index head, Index row, Index column) const {
  return mark_of(mark_rule(stage, sequence, head), row, column);
}

CellTrace Evaluator::trace(const CellAddress& cell) const {
  return trace_cell(*this, cell);
}

HeadSummary Evaluator::head(const HeadRequest& request) const {
  check_address(Stage::Weights, request.sequence, request.head);
  return pairs_->head(request.sequence, request.head);
}

Evaluator evaluate(Layer layer, StorageKind storage) {
  Evaluator evaluator(std::move(layer), storage);
  evaluator.refresh();
  return evaluator;
}

Evaluator evaluate(std::shared_ptr<const Layer> layer, StorageKind storage) {
  Evaluator evaluator(std::move(layer), storage);
  evaluator.refresh();
  return evaluator;
}

}  // namespace headlight
