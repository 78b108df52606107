// Work beside the window, of which only the newest is wanted: what is asked for while another piece of work
// runs waits for its end, and takes the place of what waited before. What is not wanted any more is asked to
// stop (see stopping.h).
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <stop_token>
#include <utility>

#include "engine/core/stopping.h"

namespace headlight {

template <class Result>
class NewestJob {
 public:
  // Must not throw, whether it is stopped or not.
  using Work = std::function<Result()>;

  NewestJob() = default;
  // Stops what runs, and waits for it.
  ~NewestJob() { forget(); }
  NewestJob(const NewestJob&) = delete;
  NewestJob& operator=(const NewestJob&) = delete;

  void start(Work work) {
    if (running_.valid()) {
      stop_.request_stop();
      next_ = std::move(work);
    } else {
      launch(std::move(work));
    }
  }
  // Nothing that was asked for is wanted any more.
  void forget() {
    next_ = nullptr;
    wanted_ = false;
    stop_.request_stop();
  }
  // Whether a result is still to come.
  bool running() const { return next_ != nullptr || (running_.valid() && wanted_); }
  // The newest result, once it is there; waits for it as long as `patience`.
  std::optional<Result> take(std::chrono::milliseconds patience = std::chrono::milliseconds(0)) {
    if (!running_.valid() || running_.wait_for(patience) != std::future_status::ready) return std::nullopt;
    Result result = running_.get();
    const bool wanted = wanted_ && !next_;
    if (next_) launch(std::exchange(next_, nullptr));
    if (!wanted) return std::nullopt;
    return result;
  }

 private:
  void launch(Work work) {
    wanted_ = true;
    stop_ = std::stop_source();
    running_ = std::async(std::launch::async, [work = std::move(work), token = stop_.get_token()] {
      const StopScope scope(token);
      return work();
    });
  }

  std::stop_source stop_;
  std::future<Result> running_;
  Work next_;
  bool wanted_ = false;
};

}  // namespace headlight
