#include "engine/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace headlight {

Index thread_count() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void for_each_index(Index count, double work, const std::function<void(Index)>& body) {
  constexpr double kWorthThreads = 100'000;  // some hundred microseconds; a thread costs some ten
  const Index threads = work < kWorthThreads ? 1 : std::min(count, thread_count());
  std::atomic<Index> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto take_turns = [&] {
    for (Index i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (Index i = 1; i < threads; ++i)
    others.emplace_back(take_turns);
  take_turns();
  for (std::thread& other : others)
    other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace headlight
