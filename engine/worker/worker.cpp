#include "engine/worker/worker.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr double kMomentMs = 200;  // longer work shows its progress
constexpr double kStepMs = 50;     // between checks for new input
constexpr double kAtOnceMs = 10;   // time for measuring heads before the answer is published without the rest

// The evaluated baseline, keyed by the model's address. Only the worker's thread uses it.
class Reference {
 public:
  // Evaluates the model if it is another one. Throws if it is not valid; the same model is then not tried
  // again.
  void follow(const std::shared_ptr<const Layer>& requested) {
    if (layer_ == requested) return;
    layer_ = requested;
    evaluator_.reset();
    ++evaluation_;
    if (requested) evaluator_.emplace(evaluate(requested));
  }
  const Evaluator* evaluator() const { return evaluator_ ? &*evaluator_ : nullptr; }
  // Changes with every new evaluator, also if it is one of the same model.
  std::uint64_t evaluation() const { return evaluation_; }

 private:
  std::shared_ptr<const Layer> layer_;
  std::uint64_t evaluation_ = 0;
  std::optional<Evaluator> evaluator_;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Consecutive edits of the same kind and place: only the last one counts. Keeps fast edits from queueing up.
bool replaces(const Edit& later, const Edit& earlier) {
  if (std::holds_alternative<LayerEdit>(later)) return true;
  if (std::holds_alternative<SettingsEdit>(later)) return std::holds_alternative<SettingsEdit>(earlier);
  if (std::holds_alternative<MaskEdit>(later)) return std::holds_alternative<MaskEdit>(earlier);
  if (later.index() != earlier.index()) return false;
  if (const auto* several = std::get_if<BlocksEdit>(&later))
    return same_place(*several, std::get<BlocksEdit>(earlier));
  return same_place(std::get<CellsEdit>(later), std::get<CellsEdit>(earlier));
}

// The head that is being measured, keyed by request, revision and the baseline's evaluator, which it reads.
// Lives on the worker's thread; an unfinished measuring of another key is replaced without being read again.
class HeadMeasurer {
 public:
  // Measures the missing heads one after the other for about that long; true if none is missing any more.
  bool measure_for(double milliseconds, ViewResult& answer, const Evaluator& evaluator,
                   const Reference& reference) {
    const auto until =
        HeadMeasuring::Clock::now() + std::chrono::duration_cast<HeadMeasuring::Clock::duration>(
                                          std::chrono::duration<double, std::milli>(milliseconds));
    for (std::size_t i = 0; i < answer.measures.size(); ++i) {
      if (answer.measures[i].revision == answer.revision) continue;
      try {
        begin(answer, answer.requested.measures[i], evaluator, reference);
        if (!measuring_->go_on(until)) return false;
        answer.measures[i].measures = std::make_shared<const HeadMeasures>(measuring_->result());
      } catch (const Error&) {
        answer.measures[i].measures = nullptr;  // there is no such head: a view may lag behind an edit
      }
      answer.measures[i].revision = answer.revision;
      measuring_.reset();
    }
    return true;
  }
  // Share of the requested measures that is done: 0 to 1.
  double progress(const ViewResult& answer) const {
    const double under_way = measuring_ ? measuring_->share() : 0;
    return (static_cast<double>(answer.measured_heads()) + under_way) /
           static_cast<double>(std::max<std::size_t>(1, answer.measures.size()));
  }

 private:
  void begin(const ViewResult& answer, const MeasuresRequest& request, const Evaluator& evaluator,
             const Reference& reference) {
    if (measuring_ && request_ == request && revision_ == answer.revision &&
        evaluation_ == reference.evaluation())
      return;
    measuring_.emplace(begin_measuring(evaluator, reference.evaluator(), request));
    request_ = request;
    revision_ = answer.revision;
    evaluation_ = reference.evaluation();
  }

  std::optional<HeadMeasuring> measuring_;
  MeasuresRequest request_;
  std::uint64_t revision_ = 0, evaluation_ = 0;
};

}  // namespace

struct Worker::Engine {
  explicit Engine(std::uint64_t first) : revision(first) {}
  std::uint64_t revision;  // of the evaluator's model
  std::optional<Evaluator> evaluator;
  Reference reference;
  ViewRequest requested;
  HeadMeasurer measured;
  bool measures_left = false;  // other work came first
  bool anew = false;           // new evaluator, whose versions restart: earlier tiles cannot be reused
  std::chrono::steady_clock::time_point answered = std::chrono::steady_clock::now();
};

Worker::Worker(std::shared_ptr<const Layer> layer, std::function<void()> on_answer, std::uint64_t revision,
               double memory_budget)
    : on_answer_(std::move(on_answer)),
      memory_budget_(memory_budget),
      posted_revision_(revision),
      thread_(start_thread("the engine", [this, layer = std::move(layer), revision]() mutable {
        run(std::exchange(layer, nullptr), revision);
      })) {}

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
    // An edit that a pending read waits for must not be replaced.
    const bool awaited = !reads_.empty() && reads_.back().read.revision == posted_revision_;
    if (!edits_.empty() && !awaited && replaces(edit, edits_.back().edit))
      edits_.back() = {std::move(edit), revision};
    else
      edits_.push_back({std::move(edit), revision});
    posted_revision_ = revision;
  }
  wake_.notify_one();
}

void Worker::request(ViewRequest requested) {
  {
    const std::lock_guard lock(mutex_);
    requested_ = std::move(requested);
  }
  wake_.notify_one();
}

std::future<bool> Worker::read_stages(StageRead read) {
  PostedRead posted{std::move(read), {}};
  std::future<bool> done = posted.done.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (posted.read.revision == posted_revision_)
      reads_.push_back(std::move(posted));
    else
      posted.done.set_value(false);
  }
  wake_.notify_one();
  return done;
}

std::shared_ptr<const ViewResult> Worker::answer() const {
  const std::lock_guard lock(mutex_);
  return answer_;
}

std::optional<double> Worker::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

void Worker::publish(std::shared_ptr<const ViewResult> answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}

bool Worker::goes_on(double share, double elapsed_ms, double since_answer_ms, ViewRequest* requested) {
  constexpr double kLongestMs = 1000;  // longest time without an answer
  const std::lock_guard lock(mutex_);
  if (elapsed_ms >= kMomentMs) progress_ = share;
  if (stop_) return false;
  if (!edits_.empty()) return since_answer_ms > kLongestMs;
  if (requested && requested_) *requested = *std::exchange(requested_, std::nullopt);
  return true;
}

bool Worker::undisturbed(double share, double elapsed_ms) {
  const std::lock_guard lock(mutex_);
  if (elapsed_ms >= kMomentMs) progress_ = share;
  return !stop_ && edits_.empty() && !requested_ && reads_.empty();
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_ && edits_.empty() && !requested_ && reads_.empty();
}

std::optional<std::string> Worker::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

bool Worker::take_model_request() {
  const std::lock_guard lock(mutex_);
  return std::exchange(needs_model_, false);
}

std::optional<Worker::Job> Worker::next_job() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stop_ || requested_ || !edits_.empty() || !reads_.empty(); });
  if (stop_) return std::nullopt;
  busy_ = true;
  Job job{{}, std::exchange(requested_, std::nullopt), std::nullopt, answer_};
  if (reads_.empty()) {
    job.edits = std::exchange(edits_, {});
    return job;
  }
  job.read = std::move(reads_.front());
  reads_.pop_front();
  const auto later = std::find_if(edits_.begin(), edits_.end(), [&](const PostedEdit& posted) {
    return posted.revision > job.read->read.revision;
  });
  std::move(edits_.begin(), later, std::back_inserter(job.edits));
  edits_.erase(edits_.begin(), later);
  return job;
}

// busy_ is cleared before on_answer_(), so that the window sees an idle worker after the last job.
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
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    failure_ = error.what();
  } catch (const std::bad_alloc&) {
    const std::lock_guard lock(mutex_);
    failure_ =
        "There is not enough memory for its stages: take fewer tokens or heads, or close other programs";
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    failure_ = std::string("the engine stopped: ") + error.what();
  }
}

void Worker::make_result_of(const Job& job, Engine& engine) {
  constexpr double kWorkForALook = 8;  // the pass runs this many times as long as a partial result took
  if (!engine.evaluator) return;
  Evaluator& evaluator = *engine.evaluator;
  double next_look = 0;
  while (!evaluator.refresh_for(kStepMs, stages_of(engine.requested))) {
    const double elapsed = milliseconds_since(job.begun);
    if (!goes_on(evaluator.progress(), elapsed, milliseconds_since(engine.answered), &engine.requested))
      return;
    if (elapsed < kMomentMs) continue;
    if (evaluator.storage() == StorageKind::Map && elapsed >= next_look) {
      publish(partial_result(evaluator, engine.requested, engine.revision, job.earlier.get()));
      const double looked = milliseconds_since(job.begun);
      next_look = looked + kWorkForALook * (looked - elapsed);
    }
    on_answer_();
  }
  const ViewResult* const earlier = engine.anew ? nullptr : job.earlier.get();
  const std::shared_ptr<ViewResult> answer =
      make_result(evaluator, engine.reference.evaluator(), engine.requested, engine.revision, earlier);
  answer->storage = evaluator.storage();
  // Quick measures go into the same answer.
  const bool measured = engine.measured.measure_for(kAtOnceMs, *answer, evaluator, engine.reference);
  answer->compute_ms = milliseconds_since(job.begun);
  publish(answer);
  engine.anew = false;
  engine.answered = std::chrono::steady_clock::now();
  engine.measures_left = !measured;
  if (!measured && !job.read) measure_on(job, engine, *answer);
}

void Worker::measure_on(const Job& job, Engine& engine, ViewResult answer) {
  on_answer_();
  for (;;) {
    const Index before = answer.measured_heads();
    engine.measures_left = !engine.measured.measure_for(kStepMs, answer, *engine.evaluator, engine.reference);
    if (answer.measured_heads() > before) publish(std::make_shared<const ViewResult>(answer));
    if (!engine.measures_left) return;
    if (!undisturbed(engine.measured.progress(answer), milliseconds_since(job.begun))) return;
    on_answer_();
  }
}

bool Worker::receive(const StageRead& read, Engine& engine) {
  if (!engine.evaluator || engine.revision != read.revision) return false;
  const auto start = std::chrono::steady_clock::now();
  while (!engine.evaluator->refresh_for(kStepMs, read.stages)) {
    const double elapsed = milliseconds_since(start);
    if (!goes_on(engine.evaluator->progress(), elapsed, 0, nullptr)) return false;
    if (elapsed >= kMomentMs) on_answer_();
  }
  if (read.reference) engine.reference.follow(read.reference);
  read.read(*engine.evaluator, read.reference ? engine.reference.evaluator() : nullptr);
  return true;
}

void Worker::receive(PostedRead posted, Engine& engine) {
  try {
    posted.done.set_value(receive(posted.read, engine));
  } catch (...) {
    posted.done.set_exception(std::current_exception());
  }
  guarded([&] { engine.reference.follow(engine.requested.reference); });
}

void Worker::request_again(const ViewRequest& requested) {
  const std::lock_guard lock(mutex_);
  if (!requested_) requested_ = requested;
}

void Worker::drop_reads() {
  const std::lock_guard lock(mutex_);
  for (PostedRead& posted : reads_)
    posted.done.set_value(false);
  reads_.clear();
}

// Each edit is applied on its own, so that one failure does not drop the later ones. An evaluator whose
// apply() threw is destroyed, which frees its memory; the next whole model creates a new one.
void Worker::carry_out(const std::vector<PostedEdit>& edits, Engine& engine) {
  const bool followed = engine.evaluator.has_value();
  for (const PostedEdit& posted : edits)
    guarded([&] {
      const auto* whole = std::get_if<LayerEdit>(&posted.edit);
      if (engine.evaluator) {
        try {
          engine.evaluator->apply(posted.edit);
        } catch (...) {
          engine.evaluator.reset();
          throw;
        }
      } else if (whole) {
        engine.evaluator.emplace(whole->layer, StorageKind::Automatic, memory_budget_);
        engine.anew = true;
      } else {
        return;
      }
      engine.revision = posted.revision;
    });
  if (engine.evaluator || edits.empty()) return;
  const std::lock_guard lock(mutex_);
  // Not for a whole model that failed while no other was in memory: it would fail again.
  if (followed || !std::holds_alternative<LayerEdit>(edits.back().edit)) needs_model_ = true;
}

void Worker::run(std::shared_ptr<const Layer> layer, std::uint64_t revision) {
  Engine engine(revision);
  guarded([&] { engine.evaluator.emplace(std::move(layer), StorageKind::Automatic, memory_budget_); });
  finish_job();
  while (std::optional<Job> job = next_job()) {
    if (job->requested) engine.requested = std::move(*job->requested);
    carry_out(job->edits, engine);
    if (job->requested || !job->edits.empty()) {
      guarded([&] { engine.reference.follow(engine.requested.reference); });
      guarded([&] { make_result_of(*job, engine); });
    }
    if (job->read) {
      receive(std::move(*job->read), engine);
      if (engine.measures_left) request_again(engine.requested);
    }
    finish_job();
  }
  drop_reads();
}

}  // namespace headlight
