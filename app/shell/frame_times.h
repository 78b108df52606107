// How long the last frames took.
#pragma once

#include <cstddef>
#include <vector>

namespace headlight {

class FrameTimes {
 public:
  static constexpr std::size_t kMost = 120;  // frames that count

  void add(double ms);
  // 0 before the first frame. Of an even number the upper one of the two in the middle.
  double median() const;
  double largest() const;

 private:
  std::vector<double> times_;
  std::size_t oldest_ = 0;
};

}  // namespace headlight
