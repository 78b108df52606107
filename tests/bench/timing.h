// Timing of one benchmark work.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace headlight_bench {

struct Timed {
  double ms = 0;  // the median of all runs
  int runs = 0;
};

// `work` is called with the number of its earlier calls; the first call is not timed, nor is `prepare`, which
// is called before each run.
inline Timed timed(
    const std::function<void(int)>& work, const std::function<void()>& prepare = [] {}) {
  using Clock = std::chrono::steady_clock;
  constexpr double kSecondsForEach = 0.6;
  constexpr std::size_t kLeastRuns = 5, kMostRuns = 2000;
  prepare();
  work(0);
  std::vector<double> all;
  const Clock::time_point start = Clock::now();
  const auto seconds = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  while (all.size() < kLeastRuns || (all.size() < kMostRuns && seconds(start) < kSecondsForEach)) {
    prepare();
    const Clock::time_point begun = Clock::now();
    work(static_cast<int>(all.size()) + 1);
    all.push_back(seconds(begun) * 1000);
  }
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return {all[all.size() / 2], static_cast<int>(all.size())};
}

}  // namespace headlight_bench
