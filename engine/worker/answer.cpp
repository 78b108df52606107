#include "engine/worker/answer.h"

#include <algorithm>
#include <utility>

#include "engine/attention/difference.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

// What `request` gives; null when the address does not exist (any more): a view may lag behind an edit.
template <class Result, class Query>
std::shared_ptr<const Result> ask(Query query) {
  try {
    return std::make_shared<const Result>(query());
  } catch (const Error&) {
    return nullptr;
  }
}

// The answer to `request` among `results`, which answer `requests` one by one.
template <class Request, class Result>
std::shared_ptr<const Result> known(const std::vector<Request>& requests,
                                    const std::vector<std::shared_ptr<const Result>>& results,
                                    const Request& request) {
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i] == request) return results[i];
  return nullptr;
}

bool compares(const TileRequest& request) {
  return request.content == TileContent::Reference || request.content == TileContent::Difference;
}

const Evaluator& existing(const Evaluator* reference) {
  if (!reference) throw Error("there is no state to compare with", "compare", "keep one first");
  return *reference;
}

Tile tile_of(const Evaluator& evaluator, const Evaluator* reference, const TileRequest& request) {
  if (request.content == TileContent::Reference) return reference_tile(existing(reference), request);
  if (request.content == TileContent::Difference)
    return difference_tile(existing(reference), evaluator, request);
  return evaluator.tile(request);
}

// The mean of draws takes bounded work an answer: a tile may hold fewer than were wished for.
std::shared_ptr<const Tile> kept_tile(const Answer& earlier, const TileRequest& request) {
  auto tile = earlier.find(request);
  return tile && tile->draws == request.draws ? tile : nullptr;
}

// Of the matrix that the tile shows; 0 where it shows something else.
std::uint64_t version_of(const Evaluator& evaluator, const TileRequest& request) {
  if (request.content != TileContent::Stage) return 0;
  try {
    return evaluator.version(request.stage, request.sequence, request.head);
  } catch (const Error&) {
    return 0;  // there is no such matrix
  }
}

// Whether an earlier whole answer has the request's tile of the same matrix.
bool unchanged(const Answer* earlier, const TileRequest& request, std::uint64_t version) {
  if (!earlier || earlier->share < 1 || version == 0) return false;
  const auto& tiles = earlier->wish.tiles;
  const auto at = std::find(tiles.begin(), tiles.end(), request) - tiles.begin();
  return at < static_cast<std::ptrdiff_t>(earlier->tile_versions.size()) &&
         earlier->tile_versions[static_cast<std::size_t>(at)] == version;
}

// For each request the place of the first one whose tile has the same cells: views ask for the same, and
// without dropout `dropped` is `weights`.
std::vector<std::size_t> first_of_same(std::vector<TileRequest> requests, const Model& model) {
  for (TileRequest& request : requests)
    if (request.content == TileContent::Stage && request.stage == Stage::Dropped &&
        !model.attention.dropout.active())
      request.stage = Stage::Weights;
  std::vector<std::size_t> first;
  first.reserve(requests.size());
  for (const TileRequest& request : requests)
    first.push_back(
        static_cast<std::size_t>(std::find(requests.begin(), requests.end(), request) - requests.begin()));
  return first;
}

std::shared_ptr<const Tile> tile_for(const std::shared_ptr<const Tile>& same, Stage stage) {
  if (!same || same->request.stage == stage) return same;
  Tile tile = *same;
  tile.request.stage = stage;
  return std::make_shared<const Tile>(std::move(tile));
}

// The measures of `before` that are wished for, for an answer of `revision`; `fresh`: whether they still
// hold.
template <class Fresh>
std::vector<MeasuredHead> kept_measures(const Answer& before, const Wish& wish, std::uint64_t revision,
                                        Fresh fresh) {
  std::vector<MeasuredHead> kept;
  for (const MeasuresRequest& request : wish.measures) {
    kept.emplace_back();
    for (std::size_t i = 0; i < before.wish.measures.size(); ++i)
      if (before.wish.measures[i] == request) kept.back() = before.measures[i];
    const bool another_picture = request.picture.of_kept() && before.wish.reference != wish.reference;
    if (another_picture || (!fresh(request) && kept.back().revision == revision)) kept.back().revision = 0;
  }
  return kept;
}

// Each request looks at every cell of a matrix that may be T x T: on several threads where that pays.
template <class Request, class Body>
void for_each_of(const std::vector<Request>& requests, const Model& model, Body body) {
  const auto tokens = static_cast<double>(model.token_count());
  for_each_index(static_cast<Index>(requests.size()), tokens * tokens * static_cast<double>(requests.size()),
                 [&](Index i) { body(static_cast<std::size_t>(i)); });
}

}  // namespace

StageSet stages_of(const Wish& wish) {
  StageSet stages = 0;
  for (const TileRequest& request : wish.tiles)
    stages |= stage_bit(request.stage);
  for (const CellAddress& cell : wish.traces)
    stages |= stage_bit(cell.stage);
  for (const RowRequest& request : wish.rows)
    stages |= stage_bit(request.stage);
  for (const PointsRequest& request : wish.points)
    for (const Stage stage : request.stages)
      stages |= stage_bit(stage);
  for (const ChangesRequest& request : wish.changes)
    stages |= stage_bit(request.stage);
  return stages;
}

std::shared_ptr<Answer> answer_wish(Evaluator& evaluator, const Evaluator* reference, Wish wish,
                                    std::uint64_t revision, const Answer* earlier) {
  auto answer = std::make_shared<Answer>();
  answer->revision = revision;
  const bool same = earlier && earlier->revision == revision && earlier->share == 1;
  const bool same_reference = same && earlier->wish.reference == wish.reference;
  Index draws = 0;
  for (const TileRequest& request : wish.tiles)
    if (request.content == TileContent::MeanDropped) draws = std::max(draws, request.draws);
  evaluator.draw_mean_to(draws);
  answer->tiles.resize(wish.tiles.size());
  std::vector<std::uint64_t>& versions = answer->tile_versions;
  for (const TileRequest& request : wish.tiles)
    versions.push_back(version_of(evaluator, request));
  const std::vector<std::size_t> first = first_of_same(wish.tiles, evaluator.model());
  for_each_of(wish.tiles, evaluator.model(), [&](std::size_t i) {
    if (first[i] != i) return;
    const TileRequest& request = wish.tiles[i];
    const bool kept = compares(request) ? same_reference : same || unchanged(earlier, request, versions[i]);
    auto tile = kept ? kept_tile(*earlier, request) : nullptr;
    answer->tiles[i] = tile ? tile : ask<Tile>([&] { return tile_of(evaluator, reference, request); });
  });
  for (std::size_t i = 0; i < first.size(); ++i)
    answer->tiles[i] = tile_for(answer->tiles[first[i]], wish.tiles[i].stage);
  for (const CellAddress& cell : wish.traces) {
    auto trace = same ? earlier->find(cell) : nullptr;
    answer->traces.push_back(trace ? trace : ask<CellTrace>([&] { return evaluator.trace(cell); }));
  }
  for (const RowRequest& request : wish.rows) {
    auto row = same ? earlier->find(request) : nullptr;
    answer->rows.push_back(row ? row : ask<RowSummary>([&] { return evaluator.row(request); }));
  }
  answer->heads.resize(wish.heads.size());
  for_each_of(wish.heads, evaluator.model(), [&](std::size_t i) {
    auto head = same ? earlier->find(wish.heads[i]) : nullptr;
    answer->heads[i] = head ? head : ask<HeadSummary>([&] { return evaluator.head(wish.heads[i]); });
  });
  for (const PointsRequest& request : wish.points) {
    auto points = same ? earlier->find(request) : nullptr;
    answer->points.push_back(points ? points : ask<PointCloud>([&] { return evaluator.points(request); }));
  }
  for (const ChangesRequest& request : wish.changes) {
    auto list = same_reference ? earlier->find(request) : nullptr;
    answer->changes.push_back(list ? list : ask<ChangeList>([&] {
      return largest_changes(existing(reference), evaluator, request);
    }));
  }
  answer->measures.resize(wish.measures.size());
  if (earlier)
    answer->measures = kept_measures(*earlier, wish, revision, [&](const MeasuresRequest& request) {
      return request.picture.of_kept() ? same_reference : same;
    });
  answer->weight_report = evaluator.weight_report();
  answer->wish = std::move(wish);
  return answer;
}

std::shared_ptr<Answer> answer_partly(const Evaluator& evaluator, const Wish& wish, std::uint64_t revision,
                                      const Answer* earlier) {
  auto answer = std::make_shared<Answer>();
  if (earlier) *answer = *earlier;
  answer->measures = kept_measures(*answer, wish, revision, [](const MeasuresRequest&) { return false; });
  answer->other_revision = earlier ? earlier->revision_of_others() : 0;
  answer->tile_revisions.clear();
  const auto kept = std::exchange(answer->tiles, {});
  for (const TileRequest& request : wish.tiles) {
    const bool there = is_pair(request.stage) || request.stage < Stage::Scores;
    const bool shown = there && request.content == TileContent::Stage;
    auto tile = shown ? ask<Tile>([&] { return evaluator.tile(request); }) : nullptr;
    const auto at = std::find(answer->wish.tiles.begin(), answer->wish.tiles.end(), request);
    const auto before = static_cast<std::size_t>(at - answer->wish.tiles.begin());
    answer->tile_revisions.push_back(tile                   ? revision
                                     : before < kept.size() ? earlier->tile_revision(before)
                                                            : 0);
    answer->tiles.push_back(tile || before >= kept.size() ? tile : kept[before]);
  }
  const auto again = [&](const auto& requests, const auto& asked, auto& results) {
    const auto before = std::exchange(results, {});
    for (const auto& request : asked)
      results.push_back(known(requests, before, request));
  };
  const Wish before = std::exchange(answer->wish, wish);
  again(before.traces, wish.traces, answer->traces);
  again(before.rows, wish.rows, answer->rows);
  again(before.heads, wish.heads, answer->heads);
  again(before.points, wish.points, answer->points);
  again(before.changes, wish.changes, answer->changes);
  answer->revision = revision;
  answer->tile_versions.clear();
  answer->share = evaluator.progress();
  return answer;
}

std::shared_ptr<const Answer> answer_since(const std::shared_ptr<const Answer>& answer, std::uint64_t first,
                                           const std::shared_ptr<const Model>& reference) {
  if (!answer) return nullptr;
  const bool same_reference = answer->wish.reference == reference;
  const auto tile_holds = [&](std::size_t i) {
    return answer->tile_revision(i) >= first && (same_reference || !compares(answer->wish.tiles[i]));
  };
  const auto measure_holds = [&](std::size_t i) {
    return answer->measures[i].revision >= first &&
           (same_reference || !answer->wish.measures[i].picture.of_kept());
  };
  const bool others_hold = answer->revision_of_others() >= first;
  bool all = others_hold && (same_reference || answer->changes.empty());
  for (std::size_t i = 0; all && i < answer->tiles.size(); ++i)
    all = tile_holds(i);
  for (std::size_t i = 0; all && i < answer->measures.size(); ++i)
    all = measure_holds(i);
  if (all) return answer;
  auto left = std::make_shared<Answer>(*answer);
  for (std::size_t i = 0; i < left->tiles.size(); ++i)
    if (!tile_holds(i)) left->tiles[i] = nullptr;
  for (std::size_t i = 0; i < left->measures.size(); ++i)
    if (!measure_holds(i)) left->measures[i].measures = nullptr;
  const auto clear = [](auto& results) { std::fill(results.begin(), results.end(), nullptr); };
  if (!others_hold || !same_reference) clear(left->changes);
  if (others_hold) return left;
  clear(left->traces);
  clear(left->rows);
  clear(left->heads);
  clear(left->points);
  left->weight_report = nullptr;
  return left;
}

std::shared_ptr<const Tile> Answer::find(const TileRequest& request) const {
  return known(wish.tiles, tiles, request);
}

std::shared_ptr<const CellTrace> Answer::find(const CellAddress& cell) const {
  return known(wish.traces, traces, cell);
}

std::shared_ptr<const RowSummary> Answer::find(const RowRequest& request) const {
  return known(wish.rows, rows, request);
}

std::shared_ptr<const HeadSummary> Answer::find(const HeadRequest& request) const {
  return known(wish.heads, heads, request);
}

std::shared_ptr<const PointCloud> Answer::find(const PointsRequest& request) const {
  return known(wish.points, points, request);
}

std::shared_ptr<const ChangeList> Answer::find(const ChangesRequest& request) const {
  return known(wish.changes, changes, request);
}

std::shared_ptr<const HeadMeasures> Answer::find(const MeasuresRequest& request) const {
  const auto at = std::find(wish.measures.begin(), wish.measures.end(), request);
  return at == wish.measures.end() ? nullptr
                                   : measures[static_cast<std::size_t>(at - wish.measures.begin())].measures;
}

Index Answer::measured_heads() const {
  return std::count_if(measures.begin(), measures.end(),
                       [this](const MeasuredHead& head) { return head.revision == revision; });
}

}  // namespace headlight
