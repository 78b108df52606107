// When the window draws its next frame without input: the earliest time requested in this frame.
#pragma once

#include <algorithm>
#include <optional>

namespace headlight {

class RedrawTimer {
 public:
  // The shell calls it before each frame: requests do not carry over from the last frame.
  void begin_frame() { seconds_.reset(); }
  // Precondition: seconds >= 0; 0: immediately. The least of several requests wins.
  void within(double seconds) { seconds_ = std::min(seconds, seconds_.value_or(seconds)); }
  // Counted from the end of the frame; nullopt: the window sleeps until an event arrives.
  std::optional<double> seconds() const { return seconds_; }

 private:
  std::optional<double> seconds_;
};

}  // namespace headlight
