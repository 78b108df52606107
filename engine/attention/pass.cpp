#include "engine/attention/pass.h"

#include <algorithm>
#include <atomic>

#include "engine/core/parallel.h"

namespace headlight {

void Pass::begin(Index count) {
  next_ = 0;
  count_ = count;
}

void Pass::go_on(Clock::time_point until, double each, const std::function<void(Index task)>& work) {
  std::atomic<Index> next{next_};
  for_each_index(thread_count(), each * static_cast<double>(count_ - next_), [&](Index) {
    do {
      const Index task = next++;
      if (task >= count_) break;
      work(task);
    } while (Clock::now() < until);
  });
  next_ = std::min<Index>(next, count_);
}

}  // namespace headlight
