#include "engine/learning/loss_curve.h"

#include <algorithm>
#include <limits>

namespace headlight {
namespace {

constexpr LossRange kEmpty = {std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()};

void widen(LossRange& range, const LossRange& other) {
  range = {std::min(range.low, other.low), std::max(range.high, other.high)};
}

}  // namespace

void LossCurve::add(double loss) {
  if (count_ % stride_ == 0) ranges_.push_back(kEmpty);
  widen(ranges_.back(), {loss, loss});
  ++count_;
  if (ranges_.size() <= kMostRanges) return;
  for (std::size_t i = 0; i < ranges_.size(); i += 2) {
    ranges_[i / 2] = ranges_[i];
    if (i + 1 < ranges_.size()) widen(ranges_[i / 2], ranges_[i + 1]);
  }
  ranges_.resize((ranges_.size() + 1) / 2);
  stride_ *= 2;
}

void LossCurve::forget_from(Index step) {
  count_ = std::clamp(step - first_, Index{0}, count_);
  ranges_.resize(static_cast<std::size_t>((count_ + stride_ - 1) / stride_));
  if (count_ % stride_ != 0) ranges_.back() = kEmpty;
}

}  // namespace headlight
