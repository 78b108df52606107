#include "app/figure/color/held_ranges.h"

#include <algorithm>
#include <cmath>

#include "app/figure/color/eased.h"

namespace headlight {
namespace {

bool same_ends(const ColorRange& a, const ColorRange& b) {
  return a.low == b.low && a.high == b.high && a.logarithmic == b.logarithmic;
}

}  // namespace

ColorRange between(const ColorRange& from, const ColorRange& to, double share) {
  if (from.logarithmic != to.logarithmic) return to;
  const auto end = [&](double a, double b) {
    return to.logarithmic ? a * std::pow(b / a, share) : std::lerp(a, b, share);
  };
  return {end(from.low, to.low), end(from.high, to.high), to.logarithmic, to.below, to.above, to.marked};
}

void HeldRanges::hold(double now) {
  held_ = true;
  moving_ = false;
  edited_ = now;
}

void HeldRanges::begin_frame(int number, double now, bool busy, bool motion) {
  if (number == number_) return;
  number_ = number;
  now_ = now;
  ++frame_;
  busy_ = busy;
  const bool rests = !busy && (!motion || now >= edited_ + kRestSeconds);
  if (held_ && rests) {
    held_ = false;
    moving_ = motion;
    released_ = now;
    for (auto& [key, entry] : entries_)
      entry.from = entry.drawn;
  }
  if (moving_ && now >= released_ + kMoveSeconds) moving_ = false;
  std::erase_if(entries_, [&](const auto& one) { return one.second.frame + 1 < frame_; });
}

HeldRanges::Shown HeldRanges::shown(const std::string& key, const ColorRange& fitted) {
  const auto [found, is_new] = entries_.try_emplace(key);
  Entry& entry = found->second;
  entry.frame = frame_;
  if (is_new) entry.from = fitted;
  if (held_ && !is_new && !entry.fits) {
    const bool same = same_ends(entry.drawn, fitted);
    entry.drawn.below = fitted.below || fitted.low < entry.drawn.low;
    entry.drawn.above = fitted.above || fitted.high > entry.drawn.high;
    return {entry.drawn, same ? std::nullopt : std::optional(fitted)};
  }
  entry.fits = false;
  const double share = std::clamp((now_ - released_) / kMoveSeconds, 0.0, 1.0);
  entry.drawn = moving_ ? between(entry.from, fitted, eased(share)) : fitted;
  return {entry.drawn, std::nullopt};
}

void HeldRanges::fit(const std::string& key) {
  if (const auto found = entries_.find(key); found != entries_.end()) found->second.fits = true;
}

}  // namespace headlight
