#include "engine/attention/evaluator.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/kernels/kernels.h"
#include "engine/model/projection.h"

namespace headlight {
namespace {

constexpr double kMostMade = 1e9;  // bytes of whole matrices of a mapped sequence

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

struct Evaluator::MadeStages {
  std::mutex mutex;  // queries run on several threads
  std::map<std::tuple<Stage, Index, Index>, Matrix> matrices;
};

Evaluator::Evaluator(Model model, Keeping keeping, double memory_budget)
    : model_(std::move(model)),
      memory_budget_(memory_budget),
      wished_keeping_(keeping),
      made_(std::make_unique<MadeStages>()) {
  validate(model_);
}

Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&& other) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&& other) noexcept = default;

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
  if (reached == 0) return;
  const PartChange part = part_reached(edit);
  const bool waits = (stale_ & ~stage_bit(Stage::Output)) != 0;
  part_ = waits ? joined_with_pending(part) : part;
  stale_ |= reached;
  if (reached == stage_bit(Stage::Output))  // of other edits, the stages before it tell which rows
    output_from_.assign(static_cast<std::size_t>(model_.sequence_count()), 0);
  made_->matrices.clear();
  // Tried again, or begun anew, with nothing kept to start from.
  if (not_finite_ || pass_.under_way) {
    stale_ = kAllStages;
    part_ = {};
  }
  not_finite_ = pass_.under_way = false;
}

// All of them, if it was not stages that were kept before.
void Evaluator::refresh_stages() {
  if (kept_as_ != Keeping::Stages) {
    stale_ = kAllStages;
    kept_as_ = Keeping::Stages;
    strips_.clear();
    maps_.clear();
    mask_.reset();
    made_->matrices.clear();
  }
  refresh_inputs();
  refresh_chain(stale_);
  output_from_.assign(static_cast<std::size_t>(model_.sequence_count()), 0);
  if (stale_ & stage_bit(Stage::Concat)) refresh_all_concat();
}

std::uint64_t Evaluator::version(Stage stage, Index sequence, Index head) const {
  check_address(stage, sequence, head);
  const auto& versions = versions_[static_cast<std::size_t>(stage)];
  const auto at = static_cast<std::size_t>(sequence * stage_heads(model_, stage) + head);
  return at < versions.size() ? versions[at] : 0;
}

void Evaluator::note_versions(StageSet stages, std::optional<Index> head) {
  ++last_version_;
  for (const StageInfo& info : stage_table()) {
    if (!(stages & stage_bit(info.stage))) continue;
    const Index heads = stage_heads(model_, info.stage);
    auto& versions = versions_[static_cast<std::size_t>(info.stage)];
    versions.resize(static_cast<std::size_t>(model_.sequence_count() * heads), last_version_);
    for (Index at = 0; at < static_cast<Index>(versions.size()); ++at)
      if (!head || !info.per_head || at % heads == *head)
        versions[static_cast<std::size_t>(at)] = last_version_;
  }
}

void Evaluator::note_output(Index sequence, Index first_row) {
  Index& from = output_from_[static_cast<std::size_t>(sequence)];
  from = std::min(from, first_row);
}

void Evaluator::refresh_output() {
  stages_[static_cast<std::size_t>(Stage::Output)].resize(static_cast<std::size_t>(model_.sequence_count()));
  const bool projects = model_.uses(Parameter::Output);
  for (Index sequence = 0; sequence < model_.sequence_count(); ++sequence) {
    Index& from = output_from_[static_cast<std::size_t>(sequence)];
    const Matrix& concat = stored(Stage::Concat, sequence, 0);
    Matrix& output = stored(Stage::Output, sequence, 0);
    if (output.rows() != concat.rows() || output.cols() != stage_columns(model_, Stage::Output)) {
      output.resize(concat.rows(), stage_columns(model_, Stage::Output));
      from = 0;
    }
    const Index count = concat.rows() - from;
    if (count == 0) continue;
    if (projects)
      project(model_, Parameter::Output, concat.bottomRows(count), output.bottomRows(count));
    else
      output.bottomRows(count) = concat.bottomRows(count);
    from = concat.rows();
  }
}

void Evaluator::make_room(StageSet stale, Index sequence, Index head) {
  for (const StageInfo& info : stage_table())
    if (in_chain(info.stage) && (stale & stage_bit(info.stage)))
      stored(info.stage, sequence, head).resize(model_.token_count(), stage_columns(model_, info.stage));
}

void Evaluator::refresh_chain(StageSet stale) {
  if ((stale & stage_bit(Stage::Dropped)) && noise_stale_) refresh_noise();
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
  if (is_stale(Stage::Weights)) normalize_rows(rows(Stage::Masked), model_, begin, rows(Stage::Weights));
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

void Evaluator::refresh_inputs() {
  const Index heads = model_.head_count(), tokens = model_.token_count();
  for (const Stage stage : {Stage::Embeddings, Stage::Queries, Stage::Keys, Stage::Values})
    if (stale_ & stage_bit(stage))
      stages_[static_cast<std::size_t>(stage)].resize(
          static_cast<std::size_t>(model_.sequence_count() * (stage == Stage::Embeddings ? 1 : heads)));
  for (Index sequence = 0; sequence < model_.sequence_count(); ++sequence) {
    if (stale_ & stage_bit(Stage::Embeddings)) {
      const Matrix& from = model_.embeddings[static_cast<std::size_t>(sequence)];
      Matrix& to = stored(Stage::Embeddings, sequence, 0);
      to.resize(from.rows(), from.cols());
      constexpr Index kRows = 128;
      for_each_index((tokens + kRows - 1) / kRows, static_cast<double>(from.size()), [&](Index block) {
        const Index begin = block * kRows, count = std::min(kRows, tokens - begin);
        to.middleRows(begin, count) = from.middleRows(begin, count);
      });
    }
    refresh_projections(stale_, {sequence, 0, tokens});
  }
}

double Evaluator::matrix_cells(Stage stage) const {
  return static_cast<double>(model_.token_count()) * static_cast<double>(stage_columns(model_, stage));
}

void Evaluator::refresh_projections(StageSet stages, const RowsChange& change) {
  const Index count = change.end - change.begin, d_k = model_.d_k(), heads = model_.head_count();
  const Matrix& embeddings = stored(Stage::Embeddings, change.sequence, 0);
  const auto rows_of = [&](const Matrix& from) { return from.middleRows(change.begin, count); };
  // The rows that were made go to their heads.
  const auto take = [&](Stage stage, Index begin, const MatrixRef& rows) {
    for (Index head = 0; head < heads; ++head)
      stored(stage, change.sequence, head).middleRows(begin, rows.rows()) = rows.middleCols(head * d_k, d_k);
  };
  std::vector<Parameter> projected;
  for (const Parameter parameter : {Parameter::Query, Parameter::Key, Parameter::Value}) {
    const Stage stage = projected_stage(parameter);
    if (!(stages & stage_bit(stage))) continue;
    for (Index head = 0; head < heads; ++head)  // keeps the other rows where the shape is the same
      stored(stage, change.sequence, head).resize(model_.token_count(), d_k);
    if (model_.uses(parameter))
      projected.push_back(parameter);
    else if (model_.attention.projection == Projection::Given)
      take(stage, change.begin,
           rows_of(
               model_.given[static_cast<std::size_t>(parameter)][static_cast<std::size_t>(change.sequence)]));
    else
      take(stage, change.begin, rows_of(embeddings));
  }
  if (!projected.empty())
    project_blocks(model_, projected, rows_of(embeddings),
                   [&](Parameter parameter, Index begin, const MatrixRef& rows) {
                     take(projected_stage(parameter), change.begin + begin, rows);
                   });
}

void Evaluator::refresh_all_concat() {
  stages_[static_cast<std::size_t>(Stage::Concat)].resize(static_cast<std::size_t>(model_.sequence_count()));
  for (Index sequence = 0; sequence < model_.sequence_count(); ++sequence) {
    stored(Stage::Concat, sequence, 0).resize(model_.token_count(), model_.d_out());
    refresh_concat(sequence, 0);
  }
}

void Evaluator::refresh_concat(Index sequence, Index first_row) {
  const Index d_k = model_.d_k(), count = model_.token_count() - first_row;
  Matrix& concat = stored(Stage::Concat, sequence, 0);
  for_each_index(model_.head_count(), matrix_cells(Stage::Concat), [&](Index head) {
    auto columns = concat.block(first_row, head * d_k, count, d_k);
    if (model_.attention.head_enabled(head))
      columns = stored(Stage::Context, sequence, head).bottomRows(count);
    else
      columns.setZero();
  });
  note_output(sequence, first_row);
}

void Evaluator::refresh_noise() {
  draw_dropout_noise(model_, 0, noise_);
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

void Evaluator::check_address(Stage stage, Index sequence, Index head) const {
  const Index heads = stage_heads(model_, stage);
  if (sequence < 0 || sequence >= model_.sequence_count() || head < 0 || head >= heads)
    throw Error("there is no sequence " + std::to_string(sequence) + ", head " + std::to_string(head),
                std::string(stage_info(stage).name),
                "there are " + std::to_string(model_.sequence_count()) + " sequences and " +
                    std::to_string(heads) + (heads == 1 ? " head" : " heads") + ", counted from 0");
}

const Matrix& Evaluator::matrix(Stage stage, Index sequence, Index head) const {
  check_address(stage, sequence, head);
  if (square_and_made(stage)) {
    const std::lock_guard lock(made_->mutex);
    const auto found = made_->matrices.find({stage, sequence, head});
    if (found != made_->matrices.end()) return found->second;
    // Where not even the scores are kept, matrices that are looked at whole must not fill the memory either.
    const double bytes = sizeof(float) * matrix_cells(stage);
    const double all = bytes * static_cast<double>(made_->matrices.size() + 1);
    if (bytes > memory_budget_ || (kept_as_ == Keeping::Map && all > kMostMade))
      throw Error(
          "the whole matrix takes " + gigabytes_text(bytes) + ", which is more than there is room for",
          std::string(stage_info(stage).name), "ask for a part of it");
    return made_->matrices[{stage, sequence, head}] = rows(stage, sequence, head).whole();
  }
  return stages_[static_cast<std::size_t>(stage)]
                [static_cast<std::size_t>(sequence * stage_heads(model_, stage) + head)];
}

RowSource Evaluator::rows(Stage stage, Index sequence, Index head) const {
  check_address(stage, sequence, head);
  if (!square_and_made(stage)) return RowSource(matrix(stage, sequence, head));
  const Matrix &q = matrix(Stage::Queries, sequence, head), &k = matrix(Stage::Keys, sequence, head);
  const Index tokens = model_.token_count();
  if (kept_as_ == Keeping::Map) return map(sequence, head).rows(stage, {0, tokens}, q, rules(sequence, head));
  return RowSource(tokens, tokens, HeadStrips::width(),
                   [&, stage, rules = rules(sequence, head), &strips = strips(sequence, head)](
                       Index first, MatrixOut rows) {
                     strips.read(stage, first / HeadStrips::width(), q, k, rules, rows);
                   });
}

const Matrix& Evaluator::noise(Index sequence, Index head) const {
  static const Matrix kNone;
  check_address(Stage::Dropped, sequence, head);
  if (noise_.empty()) return kNone;
  return noise_[static_cast<std::size_t>(sequence * model_.head_count() + head)];
}

MarkRule Evaluator::mark_rule(Stage stage, Index sequence, Index head) const {
  return marks_of(stage, rules(sequence, head));
}

CellMark Evaluator::mark(Stage stage, Index sequence, Index head, Index row, Index column) const {
  return mark_of(mark_rule(stage, sequence, head), row, column);
}

Evaluator evaluate(Model model, Keeping keeping) {
  Evaluator evaluator(std::move(model), keeping);
  evaluator.refresh();
  return evaluator;
}

}  // namespace headlight
