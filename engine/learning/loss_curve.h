// The loss after each step of a training, in bounded memory.
#pragma once

#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// The lowest and the highest loss of some steps, one after another.
struct LossRange {
  double low = 0, high = 0;
};

class LossCurve {
 public:
  // `first`: the step of the first loss that is added.
  explicit LossCurve(Index first = 0) : first_(first) {}

  Index first() const { return first_; }
  Index count() const { return count_; }    // of the losses
  Index stride() const { return stride_; }  // steps in a range; a power of two, 1 up to kMostRanges steps
  // Of steps first() + i * stride() and those up to the next range; the last one may have fewer.
  const std::vector<LossRange>& ranges() const { return ranges_; }

  void add(double loss);  // of step first() + count()
  // Forgets the losses of this step and later ones. If its range has earlier steps as well, their part in it
  // is forgotten too, and the range is that of the steps that are added next.
  void forget_from(Index step);

  static constexpr std::size_t kMostRanges = 4096;

 private:
  Index first_, count_ = 0, stride_ = 1;
  std::vector<LossRange> ranges_;
};

}  // namespace headlight
