// Runs the engine on its own thread: takes edits and view requests, returns view results. The window never
// waits for it.
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

#include "engine/layer/edit.h"
#include "engine/layer/layer.h"
#include "engine/worker/view_result.h"

namespace headlight {

// A reader that accesses the stages directly, on the worker's thread.
struct StageRead {
  std::uint64_t revision = 0;    // of the model whose stages are read
  StageSet stages = kAllStages;  // those that are read
  // A second state that is read, as in ViewRequest; null: none.
  std::shared_ptr<const Layer> reference;
  // `reference`: null if there is none or it cannot be computed. Edits wait while the reader runs: it should
  // copy what it needs and return.
  std::function<void(const Evaluator& evaluator, const Evaluator* reference)> read;
};

class Worker {
 public:
  // `on_answer` is called on the worker's thread once the worker has started, and after each new answer or
  // failure: it must only wake the window. `revision`: that of the model. memory_budget: what the T x T
  // stages may take, in bytes. Throws Error if no thread can be started.
  Worker(std::shared_ptr<const Layer> layer, std::function<void()> on_answer, std::uint64_t revision = 1,
         double memory_budget = default_memory_budget());
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Edits are applied in order; `revision` increases with each. The document has already validated them. If
  // one fails nevertheless (out of memory), there are no answers until the whole model is posted: they would
  // show a state that no document has. Strong guarantee: if this throws, nothing was posted.
  void post(Edit edit, std::uint64_t revision);
  // True once after an edit has failed: the caller must then post the whole model with its current revision.
  // If that fails as well, the next edit makes this true again.
  bool take_model_request();
  void request(ViewRequest requested);
  // Schedules a read after the edits posted so far and before those posted later. True: the reader has run.
  // Exceptions of the reader or the engine arrive through the future. False: the reader did not run, because
  // the revision is not the newest or could not be computed, because a later edit interrupted the pass
  // towards its stages, or because the worker has ended.
  std::future<bool> read_stages(StageRead read);

  // The newest answer; null before the first. Never waits for the engine.
  std::shared_ptr<const ViewResult> answer() const;
  // Progress of the current work from 0 to 1; nullopt unless it takes longer than a moment. New edits
  // interrupt a pass, but not so often that answers stop coming.
  std::optional<double> progress() const;
  // No edit, request or read is waiting or being processed.
  bool idle() const;
  // A failure inside the engine, such as out of memory; returned once.
  std::optional<std::string> take_failure();

 private:
  struct PostedEdit {
    Edit edit;
    std::uint64_t revision;
  };
  struct PostedRead {
    StageRead read;
    std::promise<bool> done;
  };
  struct Job {
    std::vector<PostedEdit> edits;
    std::optional<ViewRequest> requested;
    std::optional<PostedRead> read;  // runs after the edits and the request
    std::shared_ptr<const ViewResult> earlier;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  };
  struct Engine;  // the state that only the worker's thread uses
  void run(std::shared_ptr<const Layer> layer, std::uint64_t revision);
  std::optional<Job> next_job();  // waits; nullopt if the worker must stop
  void carry_out(const std::vector<PostedEdit>& edits, Engine& engine);
  void finish_job();
  void make_result_of(const Job& job, Engine& engine);
  // Measures heads for the answer and publishes them until all are done or other work is waiting.
  void measure_on(const Job& job, Engine& engine, ViewResult answer);
  // Whether no other work is waiting.
  bool undisturbed(double share, double elapsed_ms);
  // Whether the reader has run.
  bool receive(const StageRead& read, Engine& engine);
  void receive(PostedRead posted, Engine& engine);
  void request_again(const ViewRequest& requested);  // unless a later request is waiting
  void drop_reads();
  // Checks for new input during a pass; stores a new request in `requested` unless that is null. False: the
  // pass must be interrupted.
  bool goes_on(double share, double elapsed_ms, double since_answer_ms, ViewRequest* requested);
  void publish(std::shared_ptr<const ViewResult> answer);
  template <class Work>
  void guarded(Work work);  // stores a failure of the work for take_failure()

  std::function<void()> on_answer_;
  double memory_budget_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<PostedEdit> edits_;
  std::optional<ViewRequest> requested_;
  std::deque<PostedRead> reads_;
  std::uint64_t posted_revision_;
  std::shared_ptr<const ViewResult> answer_;
  std::optional<std::string> failure_;
  bool needs_model_ = false;
  std::optional<double> progress_;
  bool busy_ = true;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace headlight
