#include "engine/worker/worker.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "engine/attention/difference.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr double kMomentMs = 200;  // what takes longer is shown to be under way

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

// The state that is compared with, and all its stages. Key: the model's address; lives on the worker's
// thread.
class Reference {
 public:
  // Follows the wish. Throws when the model is not valid; it is not tried again then.
  void follow(const std::shared_ptr<const Model>& wished) {
    if (model_ == wished) return;
    model_ = wished;
    evaluator_.reset();
    if (wished) evaluator_.emplace(evaluate(*wished));
  }
  const Evaluator* evaluator() const { return evaluator_ ? &*evaluator_ : nullptr; }

 private:
  std::shared_ptr<const Model> model_;
  std::optional<Evaluator> evaluator_;
};

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

// Each request looks at every cell of a matrix that may be T x T: on several threads where that pays.
template <class Request, class Body>
void for_each_of(const std::vector<Request>& requests, const Model& model, Body body) {
  const auto tokens = static_cast<double>(model.token_count());
  for_each_index(static_cast<Index>(requests.size()), tokens * tokens * static_cast<double>(requests.size()),
                 [&](Index i) { body(static_cast<std::size_t>(i)); });
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
  answer->wish = std::move(wish);
  return answer;
}

// What a map shows before it is whole; all else is what it was.
std::shared_ptr<Answer> answer_partly(const Evaluator& evaluator, const Wish& wish, std::uint64_t revision,
                                      const Answer* earlier) {
  auto answer = std::make_shared<Answer>();
  if (earlier) *answer = *earlier;
  const auto kept = std::exchange(answer->tiles, {});
  for (const TileRequest& request : wish.tiles) {
    const bool shown = is_square(request.stage) && request.content == TileContent::Stage;
    auto tile = shown ? ask<Tile>([&] { return evaluator.tile(request); }) : nullptr;
    answer->tiles.push_back(tile ? tile : known(answer->wish.tiles, kept, request));
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

// The stages that somebody looks at: not all of them need be made.
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

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Consecutive edits of the same kind and place: only the last one counts. Keeps a flood from queueing up.
bool replaces(const Edit& later, const Edit& earlier) {
  if (std::holds_alternative<ModelEdit>(later)) return true;
  if (std::holds_alternative<SettingsEdit>(later)) return std::holds_alternative<SettingsEdit>(earlier);
  if (std::holds_alternative<MaskEdit>(later)) return std::holds_alternative<MaskEdit>(earlier);
  const auto* a = std::get_if<CellsEdit>(&later);
  const auto* b = std::get_if<CellsEdit>(&earlier);
  return a && b && a->input == b->input && a->row == b->row && a->column == b->column &&
         a->values.rows() == b->values.rows() && a->values.cols() == b->values.cols();
}

// A model that the evaluator refused to start with is mended by the next whole one.
void carry_out(const Edit& edit, std::optional<Evaluator>& evaluator, double memory_budget) {
  if (evaluator)
    evaluator->apply(edit);
  else if (const auto* whole = std::get_if<ModelEdit>(&edit))
    evaluator.emplace(*whole->model, Keeping::Automatic, memory_budget);
}

}  // namespace

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

Worker::Worker(std::shared_ptr<const Model> model, std::function<void()> on_answer, std::uint64_t revision,
               double memory_budget)
    : on_answer_(std::move(on_answer)),
      memory_budget_(memory_budget),
      thread_([this, model = std::move(model), revision] { run(model, revision); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Worker::post(Edit edit, std::uint64_t revision) {
  {
    const std::lock_guard lock(mutex_);
    if (!edits_.empty() && replaces(edit, edits_.back().edit))
      edits_.back() = {std::move(edit), revision};
    else
      edits_.push_back({std::move(edit), revision});
  }
  wake_.notify_one();
}

void Worker::wish(Wish wish) {
  {
    const std::lock_guard lock(mutex_);
    wish_ = std::move(wish);
  }
  wake_.notify_one();
}

std::shared_ptr<const Answer> Worker::answer() const {
  const std::lock_guard lock(mutex_);
  return answer_;
}

std::optional<double> Worker::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

void Worker::publish(std::shared_ptr<const Answer> answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}

bool Worker::goes_on(double share, double elapsed_ms, double since_answer_ms, Wish& wish) {
  constexpr double kLongestMs = 1000;  // without an answer
  const std::lock_guard lock(mutex_);
  if (elapsed_ms >= kMomentMs) progress_ = share;
  if (stop_) return false;
  if (!edits_.empty()) return since_answer_ms > kLongestMs;
  if (wish_) wish = *std::exchange(wish_, std::nullopt);
  return true;
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_ && edits_.empty() && !wish_;
}

std::optional<std::string> Worker::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

std::optional<Worker::Job> Worker::next_job() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stop_ || wish_ || !edits_.empty(); });
  if (stop_) return std::nullopt;
  busy_ = true;
  return Job{std::exchange(edits_, {}), std::exchange(wish_, std::nullopt), answer_};
}

// Whoever is woken by the announcement finds the worker idle when this was the last job.
void Worker::finish_job() {
  {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    progress_.reset();
  }
  on_answer_();
}

template <class Work>
void Worker::guarded(Work work) {
  try {
    work();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    failure_ = error.what();
  }
}

void Worker::run(std::shared_ptr<const Model> model, std::uint64_t revision) {
  constexpr double kStepMs = 50;  // between looks at what came in
  std::optional<Evaluator> evaluator;
  Reference reference;
  auto answered = std::chrono::steady_clock::now();
  Wish wish;
  guarded([&] { evaluator.emplace(*model, Keeping::Automatic, memory_budget_); });
  model.reset();
  finish_job();
  while (std::optional<Job> job = next_job()) {
    const auto start = std::chrono::steady_clock::now();
    if (job->wish) wish = std::move(*job->wish);
    // Each on its own: an edit that fails must not take the later ones with it.
    for (const PostedEdit& posted : job->edits)
      guarded([&] {
        carry_out(posted.edit, evaluator, memory_budget_);
        revision = posted.revision;
      });
    guarded([&] { reference.follow(wish.reference); });
    guarded([&] {
      if (!evaluator) return;
      while (!evaluator->refresh_for(kStepMs, stages_of(wish))) {
        const double elapsed = milliseconds_since(start);
        if (!goes_on(evaluator->progress(), elapsed, milliseconds_since(answered), wish)) return;
        if (elapsed < kMomentMs) continue;
        if (evaluator->keeping() == Keeping::Map)
          publish(answer_partly(*evaluator, wish, revision, job->earlier.get()));
        on_answer_();
      }
      const std::shared_ptr<Answer> answer =
          answer_wish(*evaluator, reference.evaluator(), wish, revision, job->earlier.get());
      answer->keeping = evaluator->keeping();
      answer->compute_ms = milliseconds_since(start);
      publish(answer);
      answered = std::chrono::steady_clock::now();
    });
    finish_job();
  }
}

}  // namespace headlight
