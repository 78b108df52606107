// When the window draws its next frame by itself: the soonest that anything drawn in this frame asks for.
#pragma once

#include <algorithm>
#include <optional>

namespace headlight {

class Waking {
 public:
  // The shell calls it before each frame: what is still to come has to be asked for again.
  void begin_frame() { seconds_.reset(); }
  // Precondition: seconds >= 0, 0 being at once. Of several wishes the least wins.
  void within(double seconds) { seconds_ = std::min(seconds, seconds_.value_or(seconds)); }
  // Counted from the end of the frame; none: the window sleeps until something happens.
  std::optional<double> seconds() const { return seconds_; }

 private:
  std::optional<double> seconds_;
};

}  // namespace headlight
