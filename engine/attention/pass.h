// Work in many small tasks that reports progress and can be interrupted between tasks.
#pragma once

#include <chrono>
#include <functional>

#include "engine/core/matrix.h"

namespace headlight {

class Pass {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts a new pass over tasks 0 to count - 1 and drops any earlier pass.
  void begin(Index count);
  bool over() const { return next_ >= count_; }
  Index done() const { return next_; }
  Index count() const { return count_; }
  // Runs tasks, each once and several in parallel, until the deadline: at least one, and every started task
  // is finished, so that the done tasks are always a prefix. each: how many cells a task touches.
  void go_on(Clock::time_point until, double each, const std::function<void(Index task)>& work);

 private:
  Index next_ = 0, count_ = 0;
};

}  // namespace headlight
