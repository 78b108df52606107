#include "app/shell/frame_times.h"

#include <algorithm>

namespace headlight {

void FrameTimes::add(double ms) {
  if (times_.size() < kMost) {
    times_.push_back(ms);
    return;
  }
  times_[oldest_] = ms;
  oldest_ = (oldest_ + 1) % kMost;
}

double FrameTimes::median() const {
  if (times_.empty()) return 0;
  std::vector<double> sorted = times_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double FrameTimes::largest() const {
  return times_.empty() ? 0 : *std::max_element(times_.begin(), times_.end());
}

}  // namespace headlight
