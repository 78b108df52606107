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

constexpr double kMomentMs = 200;  // what takes longer is shown to be under way
constexpr double kStepMs = 50;     // between looks at what came in
constexpr double kAtOnceMs = 10;   // heads are measured so long before the answer goes out without the rest

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

// The head that is being measured. Key: the request, the revision and the state to compare with; it lives on
// the worker's thread, and is not read again when another one is to be measured.
class MeasuredInTurn {
 public:
  // Measures what the answer lacks, one head after the other, for about so long; true: it lacks nothing.
  bool measure_for(double milliseconds, Answer& answer, const Evaluator& evaluator,
                   const Evaluator* reference) {
    const auto until =
        HeadMeasuring::Clock::now() + std::chrono::duration_cast<HeadMeasuring::Clock::duration>(
                                          std::chrono::duration<double, std::milli>(milliseconds));
    for (std::size_t i = 0; i < answer.measures.size(); ++i) {
      if (answer.measures[i].revision == answer.revision) continue;
      try {
        begin(answer, answer.wish.measures[i], evaluator, reference);
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
  // Of what the answer asks for.
  double progress(const Answer& answer) const {
    const double under_way = measuring_ ? measuring_->share() : 0;
    return (static_cast<double>(answer.measured_heads()) + under_way) /
           static_cast<double>(std::max<std::size_t>(1, answer.measures.size()));
  }

 private:
  void begin(const Answer& answer, const MeasuresRequest& request, const Evaluator& evaluator,
             const Evaluator* reference) {
    if (measuring_ && request_ == request && revision_ == answer.revision &&
        reference_ == answer.wish.reference)
      return;
    measuring_.emplace(begin_measuring(evaluator, reference, request));
    request_ = request;
    revision_ = answer.revision;
    reference_ = answer.wish.reference;
  }

  std::optional<HeadMeasuring> measuring_;
  MeasuresRequest request_;
  std::uint64_t revision_ = 0;
  std::shared_ptr<const Model> reference_;
};

}  // namespace

struct Worker::Engine {
  explicit Engine(std::uint64_t first) : revision(first) {}
  std::uint64_t revision;  // that the evaluator's model has
  std::optional<Evaluator> evaluator;
  Reference reference;
  Wish wish;
  MeasuredInTurn measured;
  bool measures_left = false;  // somebody else came first
  bool anew = false;           // the versions of stages begin again: earlier answers have those of others
  std::chrono::steady_clock::time_point answered = std::chrono::steady_clock::now();
};

Worker::Worker(std::shared_ptr<const Model> model, std::function<void()> on_answer, std::uint64_t revision,
               double memory_budget)
    : on_answer_(std::move(on_answer)),
      memory_budget_(memory_budget),
      posted_revision_(revision),
      thread_(start_thread("the engine", [this, model = std::move(model), revision]() mutable {
        run(std::exchange(model, nullptr), revision);
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
    // A visitor that waits for the last edit has to find it.
    const bool awaited = !visits_.empty() && visits_.back().visit.revision == posted_revision_;
    if (!edits_.empty() && !awaited && replaces(edit, edits_.back().edit))
      edits_.back() = {std::move(edit), revision};
    else
      edits_.push_back({std::move(edit), revision});
    posted_revision_ = revision;
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

std::future<bool> Worker::visit(Visit visit) {
  PostedVisit posted{std::move(visit), {}};
  std::future<bool> done = posted.done.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (posted.visit.revision == posted_revision_)
      visits_.push_back(std::move(posted));
    else
      posted.done.set_value(false);
  }
  wake_.notify_one();
  return done;
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

bool Worker::goes_on(double share, double elapsed_ms, double since_answer_ms, Wish* wish) {
  constexpr double kLongestMs = 1000;  // without an answer
  const std::lock_guard lock(mutex_);
  if (elapsed_ms >= kMomentMs) progress_ = share;
  if (stop_) return false;
  if (!edits_.empty()) return since_answer_ms > kLongestMs;
  if (wish && wish_) *wish = *std::exchange(wish_, std::nullopt);
  return true;
}

bool Worker::undisturbed(double share, double elapsed_ms) {
  const std::lock_guard lock(mutex_);
  if (elapsed_ms >= kMomentMs) progress_ = share;
  return !stop_ && edits_.empty() && !wish_ && visits_.empty();
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_ && edits_.empty() && !wish_ && visits_.empty();
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
  wake_.wait(lock, [this] { return stop_ || wish_ || !edits_.empty() || !visits_.empty(); });
  if (stop_) return std::nullopt;
  busy_ = true;
  Job job{{}, std::exchange(wish_, std::nullopt), std::nullopt, answer_};
  if (visits_.empty()) {
    job.edits = std::exchange(edits_, {});
    return job;
  }
  job.visit = std::move(visits_.front());
  visits_.pop_front();
  const auto later = std::find_if(edits_.begin(), edits_.end(), [&](const PostedEdit& posted) {
    return posted.revision > job.visit->visit.revision;
  });
  std::move(edits_.begin(), later, std::back_inserter(job.edits));
  edits_.erase(edits_.begin(), later);
  return job;
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

void Worker::answer_wish_of(const Job& job, Engine& engine) {
  constexpr double kWorkForALook = 8;  // so much longer than a picture of the map takes the pass goes on
  if (!engine.evaluator) return;
  Evaluator& evaluator = *engine.evaluator;
  double next_look = 0;
  while (!evaluator.refresh_for(kStepMs, stages_of(engine.wish))) {
    const double elapsed = milliseconds_since(job.begun);
    if (!goes_on(evaluator.progress(), elapsed, milliseconds_since(engine.answered), &engine.wish)) return;
    if (elapsed < kMomentMs) continue;
    if (evaluator.keeping() == Keeping::Map && elapsed >= next_look) {
      publish(answer_partly(evaluator, engine.wish, engine.revision, job.earlier.get()));
      const double looked = milliseconds_since(job.begun);
      next_look = looked + kWorkForALook * (looked - elapsed);
    }
    on_answer_();
  }
  const Answer* const earlier = engine.anew ? nullptr : job.earlier.get();
  const std::shared_ptr<Answer> answer =
      answer_wish(evaluator, engine.reference.evaluator(), engine.wish, engine.revision, earlier);
  answer->keeping = evaluator.keeping();
  // In the same answer where that is quick.
  const bool measured =
      engine.measured.measure_for(kAtOnceMs, *answer, evaluator, engine.reference.evaluator());
  answer->compute_ms = milliseconds_since(job.begun);
  publish(answer);
  engine.anew = false;
  engine.answered = std::chrono::steady_clock::now();
  engine.measures_left = !measured;
  if (!measured && !job.visit) measure_on(job, engine, *answer);
}

void Worker::measure_on(const Job& job, Engine& engine, Answer answer) {
  on_answer_();
  for (;;) {
    const Index before = answer.measured_heads();
    engine.measures_left =
        !engine.measured.measure_for(kStepMs, answer, *engine.evaluator, engine.reference.evaluator());
    if (answer.measured_heads() > before) publish(std::make_shared<const Answer>(answer));
    if (!engine.measures_left) return;
    if (!undisturbed(engine.measured.progress(answer), milliseconds_since(job.begun))) return;
    on_answer_();
  }
}

bool Worker::receive(const Visit& visit, Engine& engine) {
  if (!engine.evaluator || engine.revision != visit.revision) return false;
  const auto start = std::chrono::steady_clock::now();
  while (!engine.evaluator->refresh_for(kStepMs, visit.stages)) {
    const double elapsed = milliseconds_since(start);
    if (!goes_on(engine.evaluator->progress(), elapsed, 0, nullptr)) return false;
    if (elapsed >= kMomentMs) on_answer_();
  }
  if (visit.reference) engine.reference.follow(visit.reference);
  visit.read(*engine.evaluator, visit.reference ? engine.reference.evaluator() : nullptr);
  return true;
}

void Worker::receive(PostedVisit posted, Engine& engine) {
  try {
    posted.done.set_value(receive(posted.visit, engine));
  } catch (...) {
    posted.done.set_exception(std::current_exception());
  }
  guarded([&] { engine.reference.follow(engine.wish.reference); });
}

void Worker::wish_again(const Wish& wish) {
  const std::lock_guard lock(mutex_);
  if (!wish_) wish_ = wish;
}

void Worker::leave_visits() {
  const std::lock_guard lock(mutex_);
  for (PostedVisit& posted : visits_)
    posted.done.set_value(false);
  visits_.clear();
}

// Each on its own: an edit that fails must not take the later ones with it. But the evaluator that could not
// follow is given up, with the memory that it had; the next whole model begins a new one.
void Worker::carry_out(const std::vector<PostedEdit>& edits, Engine& engine) {
  const bool followed = engine.evaluator.has_value();
  for (const PostedEdit& posted : edits)
    guarded([&] {
      const auto* whole = std::get_if<ModelEdit>(&posted.edit);
      if (engine.evaluator) {
        try {
          engine.evaluator->apply(posted.edit);
        } catch (...) {
          engine.evaluator.reset();
          throw;
        }
      } else if (whole) {
        engine.evaluator.emplace(*whole->model, Keeping::Automatic, memory_budget_);
        engine.anew = true;
      } else {
        return;
      }
      engine.revision = posted.revision;
    });
  if (engine.evaluator || edits.empty()) return;
  const std::lock_guard lock(mutex_);
  // Not for a whole model that does not fit in an empty memory: it would be the same again.
  if (followed || !std::holds_alternative<ModelEdit>(edits.back().edit)) needs_model_ = true;
}

void Worker::run(std::shared_ptr<const Model> model, std::uint64_t revision) {
  Engine engine(revision);
  guarded([&] { engine.evaluator.emplace(*model, Keeping::Automatic, memory_budget_); });
  model.reset();
  finish_job();
  while (std::optional<Job> job = next_job()) {
    if (job->wish) engine.wish = std::move(*job->wish);
    carry_out(job->edits, engine);
    if (job->wish || !job->edits.empty()) {
      guarded([&] { engine.reference.follow(engine.wish.reference); });
      guarded([&] { answer_wish_of(*job, engine); });
    }
    if (job->visit) {
      receive(std::move(*job->visit), engine);
      if (engine.measures_left) wish_again(engine.wish);
    }
    finish_job();
  }
  leave_visits();
}

}  // namespace headlight
