#include "engine/attention/dense_scores.h"

#include <algorithm>
#include <functional>

#include "engine/attention/pair_rows.h"
#include "engine/core/parallel.h"
#include "engine/layer/overwriting.h"

namespace headlight {
namespace {

// At a thousand tokens, a block of rows takes half a megabyte per stage.
constexpr Index kRows = 120;

bool is_made(Stage stage) {
  return is_pair(stage) || stage == Stage::Context;
}

}  // namespace

std::vector<Matrix>& DenseScores::all_of(Stage stage) {
  return is_pair(stage) ? stages_[static_cast<std::size_t>(stage)] : store_.all_of(stage);
}

Matrix& DenseScores::stored(Stage stage, Index sequence, Index head) {
  return all_of(stage)[static_cast<std::size_t>(sequence * store_.layer->head_count() + head)];
}

const Matrix& DenseScores::matrix(Stage stage, Index sequence, Index head) const {
  return stages_[static_cast<std::size_t>(stage)]
                [static_cast<std::size_t>(sequence * store_.layer->head_count() + head)];
}

void DenseScores::begin(StageSet stale, StageSet /*requested*/) {
  stale_ = stale & store_.existing;
}

// Works on blocks of rows, so that a stage is computed from the one before it while that is still in the
// processor's caches.
bool DenseScores::go_on(Clock::time_point /*until*/) {
  const Index heads = store_.layer->head_count(), matrices = store_.matrices();
  Index stages = 0;
  for (const StageInfo& info : stage_table()) {
    if (!is_made(info.stage) || !any_of(stale_, stage_bit(info.stage))) continue;
    all_of(info.stage).resize(static_cast<std::size_t>(matrices));
    ++stages;
  }
  if (stages == 0) return true;
  const double work = store_.cells(Stage::Scores) * static_cast<double>(matrices * stages);
  for_each_index(matrices, work, [&](Index i) { make_room(i / heads, i % heads); });
  const Index tokens = store_.layer->token_count(), blocks = (tokens + kRows - 1) / kRows;
  for_each_index(matrices * blocks, work, [&](Index i) {
    const Index matrix = i / blocks, begin = i % blocks * kRows;
    refresh_rows(matrix / heads, matrix % heads, begin, std::min(begin + kRows, tokens));
  });
  stale_ = 0;
  return true;
}

void DenseScores::make_room(Index sequence, Index head) {
  const Layer& layer = store_.layer;
  for (const StageInfo& info : stage_table())
    if (is_made(info.stage) && any_of(stale_, stage_bit(info.stage)))
      stored(info.stage, sequence, head).resize(layer.token_count(), stage_columns(layer, info.stage));
}

void DenseScores::refresh_rows(Index sequence, Index head, Index begin, Index end) {
  const Layer& layer = store_.layer;
  const auto rows = [&](Stage stage) -> MatrixOut {
    return stored(stage, sequence, head).middleRows(begin, end - begin);
  };
  const auto is_stale = [&](Stage stage) { return any_of(stale_, stage_bit(stage)); };
  const OpenCells open = layer.open_cells(sequence, head);
  const Matrix none;
  const bool scored = is_stale(Stage::Scores);  // else there may be no queries and keys
  const Matrix &queries = scored ? store_.scored_queries(sequence, head) : none,
               &keys = scored ? store_.scored_keys(sequence, head) : none;
  compute_pair_rows(layer, {sequence, head, begin, store_.existing, stale_}, open,
                    queries.middleRows(scored ? begin : 0, scored ? end - begin : 0), keys, std::cref(rows),
                    store_.workspace);
  if (is_stale(Stage::Weights)) overwrite(layer, Stage::Weights, sequence, head, begin, rows(Stage::Weights));
  if (is_stale(Stage::Dropped)) {
    if (const Matrix* noise = store_.noise_of(sequence, head))
      drop(rows(Stage::Weights), noise->middleRows(begin, end - begin), rows(Stage::Dropped));
    else
      rows(Stage::Dropped) = rows(Stage::Weights);
  }
  if (is_stale(Stage::Context)) {
    // Where weights are overwritten, the mask no longer tells which of them are zero.
    KeyBand band = open.band;
    if (is_overwritten(layer, Stage::Weights, sequence, head)) band = {.keys = layer.key_count()};
    weighted_sum(rows(Stage::Dropped), store_.mixed_values(sequence, head), band, begin, rows(Stage::Context),
                 store_.workspace);
    overwrite(layer, Stage::Context, sequence, head, begin, rows(Stage::Context));
  }
}

}  // namespace headlight
