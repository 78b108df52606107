// The times of the last kMost frames.
#pragma once

#include <cstddef>
#include <vector>

namespace headlight {

class FrameTimes {
 public:
  static constexpr std::size_t kMost = 120;

  void add(double ms);
  // 0 before the first frame. Of an even number of frames, the upper of the two middle values.
  double median() const;
  double largest() const;

 private:
  std::vector<double> times_;
  std::size_t oldest_ = 0;
};

}  // namespace headlight
