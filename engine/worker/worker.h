// The engine on its own thread: edits go in, pictures' numbers come out. The window never waits for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
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

class Worker {
 public:
  // `on_answer` is called on the worker's thread once it has started, and after each new answer or failure:
  // it must only wake the window.
  // `revision` is that of the model. memory_budget: what the T x T stages may take, in bytes.
  Worker(std::shared_ptr<const Model> model, std::function<void()> on_answer, std::uint64_t revision = 1,
         double memory_budget = default_memory_budget());
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Edits are carried out in order; `revision` grows with each. They have been validated by the document.
  void post(Edit edit, std::uint64_t revision);
  void wish(Wish wish);

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
  struct Job {
    std::vector<PostedEdit> edits;
    std::optional<Wish> wish;
    std::shared_ptr<const Answer> earlier;
  };
  void run(std::shared_ptr<const Model> model, std::uint64_t revision);
  std::optional<Job> next_job();  // waits; none when the worker is to stop
  void finish_job();
  // Looks at what came in while a pass is under way, and takes a new wish. False: the pass is to be left.
  bool goes_on(double share, double elapsed_ms, double since_answer_ms, Wish& wish);
  void publish(std::shared_ptr<const Answer> answer);
  template <class Work>
  void guarded(Work work);  // keeps a failure of the work for take_failure

  std::function<void()> on_answer_;
  double memory_budget_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<PostedEdit> edits_;
  std::optional<Wish> wish_;
  std::shared_ptr<const Answer> answer_;
  std::optional<std::string> failure_;
  std::optional<double> progress_;
  bool busy_ = true;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace headlight
