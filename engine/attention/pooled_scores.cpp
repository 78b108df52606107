#include "engine/attention/pooled_scores.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr double kMostMade = 1e9;  // limit of whole matrices together, in bytes
constexpr StageSet kShowFuture = stage_bit(Stage::Scores) | stage_bit(Stage::Scaled);

// The i-th of `count` tasks in an order that covers the whole range early: steps of the golden section.
Index spread(Index i, Index count) {
  Index step = std::max<Index>(1, static_cast<Index>(static_cast<double>(count) * 0.618));
  while (std::gcd(step, count) != 1)
    ++step;
  return i * step % count;
}

}  // namespace

PooledScores::PooledScores(StageStore& store, double most_of_one)
    : store_(store), made_(most_of_one, kMostMade) {}

HeadMap& PooledScores::map(Index sequence, Index head) {
  return maps_[static_cast<std::size_t>(sequence * store_.layer->head_count() + head)];
}

const HeadMap& PooledScores::map(Index sequence, Index head) const {
  return maps_[static_cast<std::size_t>(sequence * store_.layer->head_count() + head)];
}

void PooledScores::begin(StageSet stale, StageSet requested) {
  seen_.begin(0);
  future_.begin(0);
  if (any_of(stale, stage_bit(Stage::Context))) {
    const Index heads = store_.layer->head_count(), matrices = store_.matrices();
    while (static_cast<Index>(maps_.size()) > matrices)
      maps_.pop_back();
    while (static_cast<Index>(maps_.size()) < matrices)
      maps_.emplace_back(store_.workspace);
    store_.all_of(Stage::Context).resize(static_cast<std::size_t>(matrices));
    for_each_index(matrices, store_.cells(Stage::Queries) * static_cast<double>(matrices),
                   [&](Index i) { take_inputs(i / heads, i % heads); });
    future_mapped_ = store_.layer->attention.mask != MaskKind::Causal;
    seen_.begin(bands());
  }
  if (missing(requested) != 0) future_.begin(bands());
}

void PooledScores::take_inputs(Index sequence, Index head) {
  const Matrix &keys = store_.scored_keys(sequence, head), &values = store_.mixed_values(sequence, head);
  store_.of(Stage::Context, sequence, head).resize(queries(sequence, head).rows(), values.cols());
  HeadMap& kept = map(sequence, head);
  kept.reshape(keys.rows(), keys.cols(), values.cols());
  kept.panels().take_keys(keys, 0, keys.rows());
  kept.panels().take_values(values, 0, values.rows());
}

StageSet PooledScores::missing(StageSet requested) const {
  return !future_mapped_ && any_of(requested, kShowFuture) ? kShowFuture : StageSet{0};
}

PooledScores::Band PooledScores::band_of(Index task) const {
  const auto matrices = static_cast<Index>(maps_.size());
  const Index matrix = task % matrices, heads = store_.layer->head_count();
  return {matrix / heads, matrix % heads, spread(task / matrices, maps_.front().bands())};
}

void PooledScores::survey(const Band& at) {
  map(at.sequence, at.head)
      .survey(at.band, queries(at.sequence, at.head), rules_of(store_, at.sequence, at.head),
              store_.of(Stage::Context, at.sequence, at.head));
}

bool PooledScores::go_on(Clock::time_point until) {
  const double each = store_.cells(Stage::Queries) * static_cast<double>(HeadMap::band_rows());
  if (!seen_.over()) {
    seen_.go_on(until, each, [&](Index task) { survey(band_of(task)); });
  } else if (!future_.over()) {
    future_.go_on(until, each, [&](Index task) {
      const Band at = band_of(task);
      map(at.sequence, at.head).survey_future(at.band, queries(at.sequence, at.head));
    });
    if (future_.over()) future_mapped_ = true;
  }
  return seen_.over() && future_.over();
}

double PooledScores::progress() const {
  const Index count = seen_.count() + future_.count();
  return count == 0 ? 1.0 : static_cast<double>(seen_.done() + future_.done()) / static_cast<double>(count);
}

const Matrix& PooledScores::matrix(Stage stage, Index sequence, Index head) const {
  return made_.get(stage, sequence, head, rows(stage, sequence, head));
}

RowSource PooledScores::rows(Stage stage, Index sequence, Index head) const {
  const Index keys = store_.layer->key_count();
  return map(sequence, head)
      .rows(stage, {0, keys}, queries(sequence, head), rules_of(store_, sequence, head));
}

std::optional<Tile> PooledScores::tile(const TileRequest& request) const {
  if (request.content != TileContent::Stage)
    throw Error("a mapped sequence has no dropout, and no noise of one",
                std::string(stage_info(request.stage).name), "ask for the stage itself");
  return map(request.sequence, request.head)
      .tile(request, queries(request.sequence, request.head),
            rules_of(store_, request.sequence, request.head));
}

HeadSummary PooledScores::head(Index sequence, Index head) const {
  return map(sequence, head).sums(queries(sequence, head), rules_of(store_, sequence, head)).means();
}

}  // namespace headlight
