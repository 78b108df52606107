// Refreshing in steps: which way stages are kept, and the pass over all strips that a change of the whole
// takes.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <numeric>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr double kWorthScores = 100'000;  // cells of all T x T matrices of a stage
constexpr double kSmallScores = 1e9;      // bytes
constexpr double kSquareStages = 5;       // scores, scaled, masked, weights and dropped

bool any_of(StageSet set, std::initializer_list<Stage> stages) {
  return std::any_of(stages.begin(), stages.end(),
                     [set](Stage stage) { return (set & stage_bit(stage)) != 0; });
}

// The i-th of `count` things in an order that soon has been everywhere: steps of the golden section.
Index spread(Index i, Index count) {
  Index step = std::max<Index>(1, static_cast<Index>(static_cast<double>(count) * 0.618));
  while (std::gcd(step, count) != 1)
    ++step;
  return i * step % count;
}

}  // namespace

double default_memory_budget() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE)) / 4;
}

double square_stages_bytes(const Model& model) {
  const auto tokens = static_cast<double>(model.token_count());
  return kSquareStages * sizeof(float) * tokens * tokens *
         static_cast<double>(model.head_count() * model.sequence_count());
}

std::string gigabytes_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

namespace {

[[noreturn]] void refuse_dropout(const Model& model, double scores, double memory_budget) {
  throw Error("scores and multipliers of " + std::to_string(model.token_count()) + " tokens would take " +
                  gigabytes_text(2 * scores) + ", more than " + gigabytes_text(memory_budget),
              "dropout", "switch dropout off, or take fewer tokens or heads");
}

}  // namespace

void check_size(const Model& model, const AttentionSettings& settings, double memory_budget) {
  const double stages = square_stages_bytes(model), scores = stages / kSquareStages;
  if (stages <= memory_budget || scores < sizeof(float) * kWorthScores) return;
  if (settings.normalization != Normalization::Softmax)
    throw Error("stages of " + std::to_string(model.token_count()) + " tokens would take " +
                    gigabytes_text(stages) + " with this normalization, more than " +
                    gigabytes_text(memory_budget),
                "normalization", "choose softmax, whose weights are made when they are looked at");
  if (settings.dropout.active() && 2 * scores > memory_budget) refuse_dropout(model, scores, memory_budget);
}

Keeping Evaluator::best_keeping() const {
  const double stages = square_stages_bytes(model_), scores = stages / kSquareStages;
  const AttentionSettings& a = model_.attention;
  const bool small = scores < sizeof(float) * kWorthScores;
  const bool softmax = a.normalization == Normalization::Softmax;
  // A map takes a fraction of the memory, and as long for each edit as for the first pass: larger scores are
  // kept only where memory is plentiful, or where a map cannot be.
  const bool worth = scores <= kSmallScores || stages <= memory_budget_ || a.dropout.active() ||
                     wished_keeping_ == Keeping::Scores;
  const bool fits = worth && scores * (a.dropout.active() ? 2 : 1) <= memory_budget_;
  if (wished_keeping_ == Keeping::Stages || (small && wished_keeping_ == Keeping::Automatic))
    return Keeping::Stages;
  if (softmax && !not_finite_ && fits && wished_keeping_ != Keeping::Map) return Keeping::Scores;
  if ((!softmax || not_finite_) && stages <= memory_budget_) return Keeping::Stages;
  check_size(model_, a, memory_budget_);
  if (a.dropout.active()) refuse_dropout(model_, scores, memory_budget_);
  return Keeping::Map;
}

const HeadMap& Evaluator::map(Index sequence, Index head) const {
  return maps_[static_cast<std::size_t>(sequence * model_.head_count() + head)];
}

HeadMap& Evaluator::map(Index sequence, Index head) {
  return maps_[static_cast<std::size_t>(sequence * model_.head_count() + head)];
}

double Evaluator::progress() const {
  return pass_.under_way && pass_.count > 0
             ? static_cast<double>(pass_.next) / static_cast<double>(pass_.count)
             : 1.0;
}

void Evaluator::refresh(StageSet wished) {
  refresh_for(std::numeric_limits<double>::infinity(), wished);
}

bool Evaluator::refresh_for(double milliseconds, StageSet wished) {
  const StageSet output = stage_bit(Stage::Output);
  const bool future =
      kept_as_ == Keeping::Map && !future_mapped_ && any_of(wished, {Stage::Scores, Stage::Scaled});
  if (stale_ == 0 && !future) return true;
  constexpr double kLongest = 1e9;
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double, std::milli>(std::min(milliseconds, kLongest)));
  if ((stale_ & ~output) != 0 || future) {
    if (!pass_.under_way) begin(wished);
    do {
      if (pass_.under_way) go_on(until);
    } while (pass_.under_way && Clock::now() < until);
    if (pass_.under_way) return false;
    if (kept_as_ == Keeping::Scores && !scores_finite()) {
      not_finite_ = true;
      stale_ = kAllStages;
      begin(wished);
    }
    // Strips that were made anew in turn have moved by their rounding.
    const auto* one = kept_as_ == Keeping::Scores ? std::get_if<HeadChange>(&part_) : nullptr;
    note_versions(stale_ & ~output, one ? std::optional(one->head) : std::nullopt);
    if (future) note_versions(stage_bit(Stage::Scores) | stage_bit(Stage::Scaled));
    part_ = {};
    stale_ &= output;
  }
  if (!(wished & output)) return true;
  note_versions(stale_ & output);
  refresh_output();
  stale_ = 0;
  return true;
}

// Does what takes no strips, and prepares the pass over those.
void Evaluator::begin(StageSet wished) {
  const Keeping keeping = best_keeping();
  if (keeping == Keeping::Stages) {
    refresh_stages();
    return;
  }
  if (kept_as_ != keeping) {
    stale_ = kAllStages;
    part_ = {};
    kept_as_ = keeping;
    strips_.clear();
    maps_.clear();
    for (const StageInfo& info : stage_table())
      if (is_square(info.stage)) stages_[static_cast<std::size_t>(info.stage)].clear();
  }
  if (keeping == Keeping::Scores && refresh_scores_part()) return;
  refresh_inputs();
  if (stale_ != 0) output_from_.assign(static_cast<std::size_t>(model_.sequence_count()), 0);
  pass_ = {};
  if (any_of(stale_, {Stage::Context})) {
    if (any_of(stale_, {Stage::Dropped}) && noise_stale_) refresh_noise();
    const auto matrices = static_cast<std::size_t>(model_.sequence_count() * model_.head_count());
    stages_[static_cast<std::size_t>(Stage::Context)].resize(matrices);
    for (Matrix& context : stages_[static_cast<std::size_t>(Stage::Context)])
      context.resize(model_.token_count(), model_.d_k());
    keeping == Keeping::Scores ? begin_strips() : begin_map();
  }
  if (keeping == Keeping::Map) plan_future(wished);
  pass_.under_way = pass_.next < pass_.count;
  if (!pass_.under_way) end_pass();
}

void Evaluator::begin_strips() {
  const Index heads = model_.head_count(), matrices = model_.sequence_count() * heads;
  const Index tokens = model_.token_count();
  const bool causal = model_.attention.mask == MaskKind::Causal;
  pass_.redo = any_of(stale_, {Stage::Scores}) || causal != scored_causal_ ? Redo::Scores : Redo::Weights;
  scored_causal_ = causal;
  if (any_of(stale_, {Stage::Masked}))
    mask_ = model_.attention.mask == MaskKind::Custom ? std::make_unique<MaskStrips>(model_.custom_mask)
                                                      : nullptr;
  strips_.resize(static_cast<std::size_t>(matrices));
  for_each_index(matrices, matrix_cells(Stage::Queries) * static_cast<double>(matrices), [&](Index i) {
    HeadStrips& kept = strips(i / heads, i % heads);
    if (pass_.redo == Redo::Scores) {
      kept.reshape(tokens, model_.d_k());
      kept.panels().take_keys(stored(Stage::Keys, i / heads, i % heads), 0, tokens);
    }
    if (any_of(stale_, {Stage::Masked})) kept.forget_pools();
    if (pass_.redo == Redo::Scores || any_of(stale_, {Stage::Values}))
      kept.panels().take_values(stored(Stage::Values, i / heads, i % heads), 0, tokens);
  });
  pass_.future_from = pass_.count = matrices * strips_.front().count();
}

void Evaluator::begin_map() {
  const Index heads = model_.head_count(), matrices = model_.sequence_count() * heads;
  const Index tokens = model_.token_count();
  maps_.resize(static_cast<std::size_t>(matrices));
  for_each_index(matrices, matrix_cells(Stage::Queries) * static_cast<double>(matrices), [&](Index i) {
    HeadMap& kept = map(i / heads, i % heads);
    kept.reshape(tokens, model_.d_k());
    kept.panels().take_keys(stored(Stage::Keys, i / heads, i % heads), 0, tokens);
    kept.panels().take_values(stored(Stage::Values, i / heads, i % heads), 0, tokens);
  });
  future_mapped_ = model_.attention.mask != MaskKind::Causal;
  pass_.future_from = pass_.count = matrices * maps_.front().bands();
}

// What the causal mask hides is mapped only when somebody wants to see it.
void Evaluator::plan_future(StageSet wished) {
  if (future_mapped_ || !any_of(wished, {Stage::Scores, Stage::Scaled})) return;
  pass_.count += static_cast<Index>(maps_.size()) * maps_.front().bands();
}

void Evaluator::map_band(Index task) {
  const auto matrices = static_cast<Index>(maps_.size());
  const bool future = task >= pass_.future_from;
  const Index at = future ? task - pass_.future_from : task;
  const Index sequence = at % matrices / model_.head_count(), head = at % matrices % model_.head_count();
  HeadMap& kept = map(sequence, head);
  const Index band = spread(at / matrices, kept.bands());
  if (future)
    kept.survey_future(band, stored(Stage::Queries, sequence, head));
  else
    kept.survey(band, stored(Stage::Queries, sequence, head), rules(sequence, head),
                stored(Stage::Context, sequence, head));
}

// What is begun is ended, so that what is done is all up to a task. At least one task, whatever the time.
void Evaluator::go_on(Clock::time_point until) {
  // What the causal mask hides joins maps that are there.
  const Index end = pass_.next < pass_.future_from ? pass_.future_from : pass_.count;
  const double each = matrix_cells(Stage::Queries) * static_cast<double>(HeadMap::band_rows());
  std::atomic<Index> next{pass_.next};
  for_each_index(thread_count(), each * static_cast<double>(end - pass_.next), [&](Index) {
    do {
      const Index task = next++;
      if (task >= end) break;
      if (kept_as_ == Keeping::Map) {
        map_band(task);
        continue;
      }
      const Index strips = strips_.front().count(), matrix = task / strips, strip = task % strips;
      redo_strips(matrix / model_.head_count(), matrix % model_.head_count(), strip, strip + 1, pass_.redo);
    } while (Clock::now() < until);
  });
  pass_.next = std::min<Index>(next, end);
  if (pass_.next < pass_.count) return;
  if (pass_.count > pass_.future_from) future_mapped_ = true;
  end_pass();
}

void Evaluator::end_pass() {
  pass_.under_way = false;
  if (any_of(stale_, {Stage::Concat})) refresh_all_concat();
}

}  // namespace headlight
