#include "engine/worker/view_result.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/attention/difference.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/views/plain_tile.h"

namespace headlight {
namespace {

// The result of `query`; null if the address does not exist (any more): a view may lag behind an edit.
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
  return is_of_baseline(request.content) || is_difference(request.content);
}

const Evaluator& existing(const Evaluator* reference) {
  if (!reference) throw Error("there is no state to compare with", "compare", "keep one first");
  return *reference;
}

// The gradients of the request; those of `earlier` if they are of the same numbers. Null if none are
// requested.
std::shared_ptr<const GradientsResult> gradients_for(const Evaluator& evaluator, const GradientsView& view,
                                                     const ViewResult* same) {
  if (!view.goal) return nullptr;
  if (same && same->gradients && same->requested.gradients == view) return same->gradients;
  auto made = std::make_shared<GradientsResult>();
  const auto start = std::chrono::steady_clock::now();
  try {
    validate_goal(evaluator.layer(), *view.goal);
    made->gradients = gradients(evaluator.layer(), *view.goal,
                                {view.stages, view.parameters ? kAllParameters : ParameterSet{0}});
  } catch (const Error& error) {
    made->refusal = error.what();
  }
  made->compute_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return made;
}

// Zeros for a stage after the goal's, which the loss does not depend on.
Tile gradient_tile(const Evaluator& evaluator, const GradientsResult* all, const ViewRequest& requested,
                   const TileRequest& request) {
  if (!all || !all->refusal.empty()) throw Error("there is no gradient", "goal", "set a goal that fits");
  const Layer& layer = evaluator.layer();
  const MarkRule marks = evaluator.mark_rule(request.stage, request.sequence, request.head);
  const std::vector<Matrix>& matrices = all->gradients.of(request.stage);
  if (request.stage > requested.gradients.goal->stage)
    return marked_tile(
        request, Matrix(Matrix::Zero(stage_rows(layer, request.stage), stage_columns(layer, request.stage))),
        marks);
  const Index at = request.sequence * stage_heads(layer, request.stage) + request.head;
  if (at >= static_cast<Index>(matrices.size()))
    throw Error("there is no gradient", std::string(stage_info(request.stage).name), "ask for its stage");
  return marked_tile(request, matrices[static_cast<std::size_t>(at)], marks);
}

Tile tile_of(const Evaluator& evaluator, const Evaluator* reference, const TileRequest& request) {
  if (is_of_baseline(request.content)) return reference_tile(existing(reference), request);
  if (is_difference(request.content)) return difference_tile(existing(reference), evaluator, request);
  return evaluator.tile(request);
}

// Dropout draws are limited per answer: an earlier tile may hold the mean of fewer draws than requested.
std::shared_ptr<const Tile> earlier_tile(const ViewResult& earlier, const TileRequest& request) {
  auto tile = earlier.find(request);
  return tile && tile->draws == request.draws ? tile : nullptr;
}

// Version of the matrix that the tile shows; 0 if the tile shows something else.
std::uint64_t version_of(const Evaluator& evaluator, const TileRequest& request) {
  if (request.content != TileContent::Stage) return 0;
  try {
    return evaluator.version(request.stage, request.sequence, request.head);
  } catch (const Error&) {
    return 0;  // there is no such matrix
  }
}

// Whether an earlier complete answer has the requested tile of the same version of the matrix.
bool unchanged(const ViewResult* earlier, const TileRequest& request, std::uint64_t version) {
  if (!earlier || earlier->share < 1 || version == 0) return false;
  const auto& tiles = earlier->requested.tiles;
  const auto at = std::find(tiles.begin(), tiles.end(), request) - tiles.begin();
  return at < static_cast<std::ptrdiff_t>(earlier->tile_versions.size()) &&
         earlier->tile_versions[static_cast<std::size_t>(at)] == version;
}

// For each request the index of the first one whose tile has the same cells: several views may request the
// same tile, and without dropout `dropped` equals `weights`.
std::vector<std::size_t> first_of_same(std::vector<TileRequest> requests, const Layer& layer) {
  for (TileRequest& request : requests)
    if (request.content == TileContent::Stage && request.stage == Stage::Dropped &&
        !layer.attention.dropout.active())
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

// The earlier measures that are still requested, for an answer of `revision`; `same`: whether those of this
// revision are of the same numbers.
std::vector<MeasuredHead> earlier_measures(const ViewResult& before, const ViewRequest& requested,
                                           std::uint64_t revision, bool same) {
  std::vector<MeasuredHead> kept;
  for (const MeasuresRequest& request : requested.measures) {
    kept.emplace_back();
    for (std::size_t i = 0; i < before.requested.measures.size(); ++i)
      if (before.requested.measures[i] == request) kept.back() = before.measures[i];
    const bool another_picture =
        request.picture.of_baseline() && before.requested.reference != requested.reference;
    if (another_picture || (!same && kept.back().revision == revision)) kept.back().revision = 0;
  }
  return kept;
}

void trace_gradients(const Evaluator& evaluator, const ViewRequest& requested, ViewResult& answer) {
  const auto trace = [&](const auto& cell) {
    return answer.gradients && answer.gradients->refusal.empty() ? ask<GradientTrace>([&] {
      return trace_gradient(evaluator, *requested.gradients.goal, answer.gradients->gradients, cell);
    })
                                                                 : nullptr;
  };
  for (const CellAddress& cell : requested.gradient_traces)
    answer.gradient_traces.push_back(trace(cell));
  for (const InputCell& cell : requested.input_gradient_traces)
    answer.input_gradient_traces.push_back(trace(cell));
}

// The traces, rows and points of the request; those of `same`, an earlier answer of the same numbers, or
// null.
void answer_queries(const Evaluator& evaluator, const ViewRequest& requested, const ViewResult* same,
                    ViewResult& answer) {
  for (const CellAddress& cell : requested.traces) {
    auto trace = same ? same->find(cell) : nullptr;
    answer.traces.push_back(trace ? trace : ask<CellTrace>([&] { return evaluator.trace(cell); }));
  }
  for (const RowRequest& request : requested.rows) {
    auto row = same ? same->find(request) : nullptr;
    answer.rows.push_back(row ? row : ask<RowSummary>([&] { return evaluator.row(request); }));
  }
  for (const PointsRequest& request : requested.points) {
    auto points = same ? same->find(request) : nullptr;
    answer.points.push_back(points ? points : ask<PointCloud>([&] { return evaluator.points(request); }));
  }
}

// Each request looks at every cell of a matrix that may be T x T: on several threads where that pays.
template <class Request, class Body>
void for_each_of(const std::vector<Request>& requests, const Layer& layer, Body body) {
  const auto tokens = static_cast<double>(layer.token_count());
  for_each_index(static_cast<Index>(requests.size()), tokens * tokens * static_cast<double>(requests.size()),
                 [&](Index i) { body(static_cast<std::size_t>(i)); });
}

}  // namespace

StageSet stages_of(const ViewRequest& requested) {
  StageSet stages = 0;
  for (const TileRequest& request : requested.tiles)
    stages |= stage_bit(request.stage);
  for (const CellAddress& cell : requested.traces)
    stages |= stage_bit(cell.stage);
  for (const RowRequest& request : requested.rows)
    stages |= stage_bit(request.stage);
  for (const PointsRequest& request : requested.points)
    for (const Stage stage : request.stages)
      stages |= stage_bit(stage);
  for (const ChangesRequest& request : requested.changes)
    stages |= stage_bit(request.stage);
  const bool traced = !requested.gradient_traces.empty() || !requested.input_gradient_traces.empty();
  return traced ? kAllStages : stages;  // a gradient follows from the numbers of all later stages
}

std::shared_ptr<ViewResult> make_result(Evaluator& evaluator, const Evaluator* reference,
                                        ViewRequest requested, std::uint64_t revision,
                                        const ViewResult* earlier) {
  auto answer = std::make_shared<ViewResult>();
  answer->revision = revision;
  if (reference) answer->reference_storage = reference->storage();
  const bool same = earlier && earlier->revision == revision && earlier->share == 1;
  const bool same_reference = same && earlier->requested.reference == requested.reference;
  Index draws = 0;
  for (const TileRequest& request : requested.tiles)
    if (request.content == TileContent::MeanDropped) draws = std::max(draws, request.draws);
  evaluator.draw_mean_to(draws);
  answer->gradients = gradients_for(evaluator, requested.gradients, same ? earlier : nullptr);
  const bool same_gradients = same && answer->gradients == earlier->gradients;
  answer->tiles.resize(requested.tiles.size());
  std::vector<std::uint64_t>& versions = answer->tile_versions;
  for (const TileRequest& request : requested.tiles)
    versions.push_back(version_of(evaluator, request));
  const std::vector<std::size_t> first = first_of_same(requested.tiles, evaluator.layer());
  for_each_of(requested.tiles, evaluator.layer(), [&](std::size_t i) {
    if (first[i] != i) return;
    const TileRequest& request = requested.tiles[i];
    const bool of_gradient = request.content == TileContent::Gradient;
    const bool kept = of_gradient         ? same_gradients
                      : compares(request) ? same_reference
                                          : same || unchanged(earlier, request, versions[i]);
    auto tile = kept ? earlier_tile(*earlier, request) : nullptr;
    answer->tiles[i] = tile ? tile : ask<Tile>([&] {
      return of_gradient ? gradient_tile(evaluator, answer->gradients.get(), requested, request)
                         : tile_of(evaluator, reference, request);
    });
  });
  for (std::size_t i = 0; i < first.size(); ++i)
    answer->tiles[i] = tile_for(answer->tiles[first[i]], requested.tiles[i].stage);
  answer_queries(evaluator, requested, same ? earlier : nullptr, *answer);
  answer->heads.resize(requested.heads.size());
  for_each_of(requested.heads, evaluator.layer(), [&](std::size_t i) {
    auto head = same ? earlier->find(requested.heads[i]) : nullptr;
    answer->heads[i] = head ? head : ask<HeadSummary>([&] { return evaluator.head(requested.heads[i]); });
  });
  for (const ChangesRequest& request : requested.changes) {
    auto list = same_reference ? earlier->find(request) : nullptr;
    answer->changes.push_back(list ? list : ask<ChangeList>([&] {
      return largest_changes(existing(reference), evaluator, request);
    }));
  }
  trace_gradients(evaluator, requested, *answer);
  answer->measures.resize(requested.measures.size());
  if (earlier) answer->measures = earlier_measures(*earlier, requested, revision, same);
  answer->weight_report = evaluator.weight_report();
  answer->requested = std::move(requested);
  return answer;
}

std::shared_ptr<ViewResult> partial_result(const Evaluator& evaluator, const ViewRequest& requested,
                                           std::uint64_t revision, const ViewResult* earlier) {
  auto answer = std::make_shared<ViewResult>();
  if (earlier) *answer = *earlier;
  if (answer->requested.reference != requested.reference) answer->reference_storage.reset();
  answer->measures = earlier_measures(*answer, requested, revision, false);
  answer->other_revision = earlier ? earlier->revision_of_others() : 0;
  answer->tile_revisions.clear();
  const auto kept = std::exchange(answer->tiles, {});
  for (const TileRequest& request : requested.tiles) {
    const bool there = is_pair(request.stage) || request.stage < Stage::Scores;
    const bool shown = there && request.content == TileContent::Stage;
    auto tile = shown ? ask<Tile>([&] { return evaluator.tile(request); }) : nullptr;
    const auto at = std::find(answer->requested.tiles.begin(), answer->requested.tiles.end(), request);
    const auto before = static_cast<std::size_t>(at - answer->requested.tiles.begin());
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
  const ViewRequest before = std::exchange(answer->requested, requested);
  again(before.traces, requested.traces, answer->traces);
  again(before.rows, requested.rows, answer->rows);
  again(before.heads, requested.heads, answer->heads);
  again(before.points, requested.points, answer->points);
  again(before.changes, requested.changes, answer->changes);
  again(before.gradient_traces, requested.gradient_traces, answer->gradient_traces);
  again(before.input_gradient_traces, requested.input_gradient_traces, answer->input_gradient_traces);
  answer->revision = revision;
  answer->tile_versions.clear();
  answer->share = evaluator.progress();
  return answer;
}

std::shared_ptr<const ViewResult> result_since(const std::shared_ptr<const ViewResult>& answer,
                                               std::uint64_t first,
                                               const std::shared_ptr<const Layer>& reference) {
  if (!answer) return nullptr;
  const bool same_reference = answer->requested.reference == reference;
  const auto tile_holds = [&](std::size_t i) {
    return answer->tile_revision(i) >= first && (same_reference || !compares(answer->requested.tiles[i]));
  };
  const auto measure_holds = [&](std::size_t i) {
    return answer->measures[i].revision >= first &&
           (same_reference || !answer->requested.measures[i].picture.of_baseline());
  };
  const bool others_hold = answer->revision_of_others() >= first;
  bool all = others_hold && (same_reference || (answer->changes.empty() && !answer->reference_storage));
  for (std::size_t i = 0; all && i < answer->tiles.size(); ++i)
    all = tile_holds(i);
  for (std::size_t i = 0; all && i < answer->measures.size(); ++i)
    all = measure_holds(i);
  if (all) return answer;
  auto left = std::make_shared<ViewResult>(*answer);
  for (std::size_t i = 0; i < left->tiles.size(); ++i)
    if (!tile_holds(i)) left->tiles[i] = nullptr;
  for (std::size_t i = 0; i < left->measures.size(); ++i)
    if (!measure_holds(i)) left->measures[i].measures = nullptr;
  const auto clear = [](auto& results) { std::fill(results.begin(), results.end(), nullptr); };
  if (!others_hold || !same_reference) clear(left->changes);
  if (!same_reference) left->reference_storage.reset();
  if (others_hold) return left;
  clear(left->traces);
  clear(left->rows);
  clear(left->heads);
  clear(left->points);
  clear(left->gradient_traces);
  clear(left->input_gradient_traces);
  left->gradients = nullptr;
  left->weight_report = nullptr;
  return left;
}

std::shared_ptr<const Tile> ViewResult::find(const TileRequest& request) const {
  return known(requested.tiles, tiles, request);
}

std::shared_ptr<const CellTrace> ViewResult::find(const CellAddress& cell) const {
  return known(requested.traces, traces, cell);
}

std::shared_ptr<const RowSummary> ViewResult::find(const RowRequest& request) const {
  return known(requested.rows, rows, request);
}

std::shared_ptr<const HeadSummary> ViewResult::find(const HeadRequest& request) const {
  return known(requested.heads, heads, request);
}

std::shared_ptr<const PointCloud> ViewResult::find(const PointsRequest& request) const {
  return known(requested.points, points, request);
}

std::shared_ptr<const ChangeList> ViewResult::find(const ChangesRequest& request) const {
  return known(requested.changes, changes, request);
}

std::shared_ptr<const HeadMeasures> ViewResult::find(const MeasuresRequest& request) const {
  const auto at = std::find(requested.measures.begin(), requested.measures.end(), request);
  return at == requested.measures.end()
             ? nullptr
             : measures[static_cast<std::size_t>(at - requested.measures.begin())].measures;
}

std::shared_ptr<const GradientTrace> ViewResult::find_gradient(const CellAddress& cell) const {
  return known(requested.gradient_traces, gradient_traces, cell);
}

std::shared_ptr<const GradientTrace> ViewResult::find_gradient(const InputCell& cell) const {
  return known(requested.input_gradient_traces, input_gradient_traces, cell);
}

Index ViewResult::measured_heads() const {
  return std::count_if(measures.begin(), measures.end(),
                       [this](const MeasuredHead& head) { return head.revision == revision; });
}

}  // namespace headlight
