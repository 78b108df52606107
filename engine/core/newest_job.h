// `NewestJob` runs work on a background thread and delivers only the newest result. Work that is started
// while other work runs replaces any queued work; outdated work is requested to stop (see stopping.h).
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/parallel.h"
#include "engine/core/stopping.h"

namespace headlight {

template <class Result>
class NewestJob {
 public:
  // A job that was stopped may throw; its exception is discarded with its result.
  using Work = std::function<Result()>;

  // `on_result` is called on the background thread after each job has ended and take() can return its result.
  // It must only wake the window.
  explicit NewestJob(std::function<void()> on_result = {}) : on_result_(std::move(on_result)) {}
  // Stops the running job and joins the thread.
  ~NewestJob() {
    forget();
    if (thread_.joinable()) thread_.join();
  }
  NewestJob(const NewestJob&) = delete;
  NewestJob& operator=(const NewestJob&) = delete;

  // If no thread can be started, runs the work on the calling thread before it returns.
  void start(Work work) {
    {
      const std::lock_guard lock(mutex_);
      stop_.request_stop();
      result_.reset();
      failure_ = nullptr;
      next_ = std::move(work);
      wanted_ = true;
      if (std::exchange(busy_, true)) return;
    }
    if (thread_.joinable()) thread_.join();  // its loop has ended
    try {
      thread_ = start_thread("this", [this] { work_on(); });
    } catch (const Error&) {
      work_on();
    }
  }
  // Discards the queued job and any result, and stops the running job.
  void forget() {
    const std::lock_guard lock(mutex_);
    next_ = nullptr;
    wanted_ = false;
    result_.reset();
    failure_ = nullptr;
    stop_.request_stop();
  }
  // Whether a result is pending or ready to be taken.
  bool running() const { return wanted_; }
  // The newest result if it is ready, waiting for at most `patience`. Rethrows the job's exception.
  std::optional<Result> take(std::chrono::milliseconds patience = std::chrono::milliseconds(0)) {
    std::unique_lock lock(mutex_);
    if (!wanted_ || !ended_.wait_for(lock, patience, [this] { return result_ || failure_; }))
      return std::nullopt;
    wanted_ = false;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::exchange(result_, std::nullopt);
  }

 private:
  void work_on() {
    while (std::optional<std::pair<Work, std::stop_token>> work = next_work()) {
      std::optional<Result> result;
      std::exception_ptr failure;
      try {
        const StopScope scope(work->second);
        result = work->first();
      } catch (...) {
        failure = std::current_exception();
      }
      work.reset();
      keep(std::move(result), failure);
      if (on_result_) on_result_();
    }
  }
  // None if no job is queued; the thread then ends.
  std::optional<std::pair<Work, std::stop_token>> next_work() {
    const std::lock_guard lock(mutex_);
    if (!next_) {
      busy_ = false;
      return std::nullopt;
    }
    stop_ = std::stop_source();
    return std::pair(std::exchange(next_, nullptr), stop_.get_token());
  }
  void keep(std::optional<Result> result, const std::exception_ptr& failure) {
    {
      const std::lock_guard lock(mutex_);
      if (!wanted_ || next_) return;
      result_ = std::move(result);
      failure_ = failure;
    }
    ended_.notify_all();
  }

  std::function<void()> on_result_;
  bool wanted_ = false;  // written by the owner's thread alone, and under the mutex
  std::mutex mutex_;     // guards all members below except thread_
  std::condition_variable ended_;
  Work next_;
  std::stop_source stop_;
  std::optional<Result> result_;
  std::exception_ptr failure_;
  bool busy_ = false;
  std::thread thread_;
};

}  // namespace headlight
