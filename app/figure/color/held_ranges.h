// Ranges of colours that stay what they were while numbers are edited or played, so that a colour keeps its
// meaning. At rest they move to where the numbers are.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/figure/color/color_scale.h"

namespace headlight {

class HeldRanges {
 public:
  struct Shown {
    ColorRange range;
    std::optional<ColorRange> ghost;  // where the range would be now, if that differs
    bool operator==(const Shown&) const = default;
  };
  static constexpr double kRestSeconds = 0.4, kMoveSeconds = 0.25;

  // A number was edited or played: holds all ranges from this frame on. Times in seconds, on one clock.
  void hold(double now);
  // Call in each frame before shown(); further calls in the frame `number` do nothing. `busy`: a control is
  // still in use. Without motion, ranges are fitted as soon as none is.
  void begin_frame(int number, double now, bool busy, bool motion);
  // The range to draw. `key` names what shares a range; one that is new is fitted.
  Shown shown(const std::string& key, const ColorRange& fitted);
  // Fits this range and keeps holding the others.
  void fit(const std::string& key);

  bool held() const { return held_; }
  bool moving() const { return moving_; }
  bool waiting() const { return held_ && !busy_; }  // for the rest before they move, until fits_at()
  double fits_at() const { return edited_ + kRestSeconds; }

 private:
  struct Entry {
    ColorRange drawn, from;
    long frame = 0;     // the frame in which it was last drawn, counted here
    bool fits = false;  // once, although it is held
  };
  std::map<std::string, Entry> entries_;
  double now_ = 0, edited_ = 0, released_ = 0;
  long frame_ = 0;
  int number_ = -1;  // of the frame, as given
  bool held_ = false, busy_ = false, moving_ = false;
};

// The range between two of the same scale; `to` if their scales differ.
ColorRange between(const ColorRange& from, const ColorRange& to, double share);

}  // namespace headlight
