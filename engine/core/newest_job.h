// Work beside the window, of which only the newest is wanted: what is asked for while another piece of work
// runs waits for its end, and takes the place of what waited before. What is not wanted any more is asked to
// stop (see stopping.h).
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
  // Must not throw, whether it is stopped or not.
  using Work = std::function<Result()>;

  // `on_result`: called beside the window whenever a piece of work has ended, once take() has what it gave;
  // it must only wake the window.
  explicit NewestJob(std::function<void()> on_result = {}) : on_result_(std::move(on_result)) {}
  // Stops what runs, and waits for it.
  ~NewestJob() {
    forget();
    if (thread_.joinable()) thread_.join();
  }
  NewestJob(const NewestJob&) = delete;
  NewestJob& operator=(const NewestJob&) = delete;

  // Where no thread can be started it returns with the work done.
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
    if (thread_.joinable()) thread_.join();  // it has nothing left to do
    try {
      thread_ = start_thread("this", [this] { work_on(); });
    } catch (const Error&) {
      work_on();
    }
  }
  // Nothing that was asked for is wanted any more.
  void forget() {
    const std::lock_guard lock(mutex_);
    next_ = nullptr;
    wanted_ = false;
    result_.reset();
    failure_ = nullptr;
    stop_.request_stop();
  }
  // Whether a result is still to come, or to be taken.
  bool running() const { return wanted_; }
  // The newest result, once it is there; waits for it as long as `patience`.
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
  // None, and the thread ends, where nothing waits.
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
  std::mutex mutex_;     // of all below but the thread
  std::condition_variable ended_;
  Work next_;
  std::stop_source stop_;
  std::optional<Result> result_;
  std::exception_ptr failure_;
  bool busy_ = false;
  std::thread thread_;
};

}  // namespace headlight
