// Work in many small pieces, that can be watched and left off between any two.
#pragma once

#include <chrono>
#include <functional>

#include "engine/core/matrix.h"

namespace headlight {

class Pass {
 public:
  using Clock = std::chrono::steady_clock;

  // From now on tasks 0 to count - 1 are to be done, and none of an earlier pass.
  void begin(Index count);
  bool over() const { return next_ >= count_; }
  Index done() const { return next_; }
  Index count() const { return count_; }
  // Does tasks, each once and several at a time, until the time is over: at least one, and what is begun is
  // ended, so that what is done is all up to a task. each: how many cells a task touches.
  void go_on(Clock::time_point until, double each, const std::function<void(Index task)>& work);

 private:
  Index next_ = 0, count_ = 0;
};

}  // namespace headlight
