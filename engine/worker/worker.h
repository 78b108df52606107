// The engine on its own thread: edits go in, pictures' numbers come out. The window never waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/model/edit.h"
#include "engine/model/model.h"
#include "engine/worker/answer.h"

namespace headlight {

// Somebody who reads the stages themselves, on the worker's thread.
struct Visit {
  std::uint64_t revision = 0;              // of the model whose stages are read
  StageSet stages = kAllStages;            // those that are read
  std::shared_ptr<const Model> reference;  // a second state that is read, as in Wish; none: there is none
  // `reference`: null without one, and where it cannot be computed. Edits wait while the visitor reads: it
  // takes out what it needs, and no more.
  std::function<void(const Evaluator& evaluator, const Evaluator* reference)> read;
};

class Worker {
 public:
  // `on_answer` is called on the worker's thread once it has started, and after each new answer or failure:
  // it must only wake the window.
  // `revision` is that of the model. memory_budget: what the T x T stages may take, in bytes. Throws Error
  // where no thread can be started.
  Worker(std::shared_ptr<const Model> model, std::function<void()> on_answer, std::uint64_t revision = 1,
         double memory_budget = default_memory_budget());
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Edits are carried out in order; `revision` grows with each. They have been validated by the document.
  // Where one fails all the same, for want of memory, there are no answers until the whole model is posted:
  // they would be of a state that nobody has. Strong guarantee: what throws has posted nothing.
  void post(Edit edit, std::uint64_t revision);
  // An edit has failed: whoever has the model is to post all of it, with the revision that it has. Told once;
  // when the whole model fails as well, with the next edit.
  bool take_model_request();
  void wish(Wish wish);
  // The visitor reads behind the edits that were posted before, and in front of those that are posted later.
  // True when it has read; what it throws, or the engine, comes with the future. False, and nothing was read:
  // the revision is not the newest or could not be computed, a pass towards its stages was left for a later
  // edit, or the worker has ended.
  std::future<bool> visit(Visit visit);

  // The newest answer; null before the first. Never waits for the engine.
  std::shared_ptr<const Answer> answer() const;
  // How much is done of what takes longer than a moment, from 0 to 1; none when nothing does. Such a pass is
  // left for edits that come meanwhile, but not so often that answers would stay away.
  std::optional<double> progress() const;
  // No edit or wish is waiting or being worked on.
  bool idle() const;
  // A failure inside the engine (out of memory, say), handed over once.
  std::optional<std::string> take_failure();

 private:
  struct PostedEdit {
    Edit edit;
    std::uint64_t revision;
  };
  struct PostedVisit {
    Visit visit;
    std::promise<bool> done;
  };
  struct Job {
    std::vector<PostedEdit> edits;
    std::optional<Wish> wish;
    std::optional<PostedVisit> visit;  // comes after the edits and the wish
    std::shared_ptr<const Answer> earlier;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  };
  struct Engine;  // what lives on the worker's thread
  void run(std::shared_ptr<const Model> model, std::uint64_t revision);
  std::optional<Job> next_job();  // waits; none when the worker is to stop
  void carry_out(const std::vector<PostedEdit>& edits, Engine& engine);
  void finish_job();
  void answer_wish_of(const Job& job, Engine& engine);
  // Measures heads for the answer until nothing is left to do, publishing what there is, or until somebody
  // waits.
  void measure_on(const Job& job, Engine& engine, Answer answer);
  // Whether nobody waits for something else than what is under way.
  bool undisturbed(double share, double elapsed_ms);
  // Whether the visitor has read.
  bool receive(const Visit& visit, Engine& engine);
  void receive(PostedVisit posted, Engine& engine);
  void wish_again(const Wish& wish);  // unless there is a later one
  void leave_visits();
  // Looks at what came in while a pass is under way, and takes a new wish unless `wish` is null. False: the
  // pass is to be left.
  bool goes_on(double share, double elapsed_ms, double since_answer_ms, Wish* wish);
  void publish(std::shared_ptr<const Answer> answer);
  template <class Work>
  void guarded(Work work);  // keeps a failure of the work for take_failure

  std::function<void()> on_answer_;
  double memory_budget_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<PostedEdit> edits_;
  std::optional<Wish> wish_;
  std::deque<PostedVisit> visits_;
  std::uint64_t posted_revision_;
  std::shared_ptr<const Answer> answer_;
  std::optional<std::string> failure_;
  bool needs_model_ = false;
  std::optional<double> progress_;
  bool busy_ = true;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace headlight
