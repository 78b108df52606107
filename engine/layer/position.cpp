#include "engine/layer/position.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace headlight {

RotaryPair rotary_pair(RotaryPairs pairs, Index dims, Index column) {
  const Index half = dims / 2;
  if (pairs == RotaryPairs::Neighbours) return {column / 2 * 2, column / 2 * 2 + 1, column / 2};
  const Index number = column % half;
  return {number, number + half, number};
}

RotaryRamp rotary_ramp(const Position& position, Index dims) {
  const RotaryScaling& scaling = position.scaling;
  const auto pair_of = [&](double turns) {
    return static_cast<double>(dims) *
           std::log(static_cast<double>(scaling.positions) / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(position.theta));
  };
  const bool whole = scaling.blend == RotaryBlend::WholePairs;
  double first = pair_of(scaling.high), last = pair_of(scaling.low);
  first = std::max(whole ? std::floor(first) : first, 0.0);
  last = std::min(whole ? std::ceil(last) : last, static_cast<double>(dims - 1));
  constexpr double kApart = 0.001;  // as in the library, so that the two ends differ
  if (first == last) last += kApart;
  return {first, last};
}

namespace {

double kept_by_number(const RotaryRamp& ramp, Index number) {
  return 1 - std::clamp((static_cast<double>(number) - ramp.first) / (ramp.last - ramp.first), 0.0, 1.0);
}

}  // namespace

RotaryScaling RotaryScaling::linear(double factor) {
  // No pair turns more than once within one position, so all are scaled.
  return {factor, 1, 2, 1, RotaryBlend::Turns, 1, {}};
}

double rotary_angle(const Position& position, Index dims, Index number, Index at) {
  const double exponent = -2.0 * static_cast<double>(number) / static_cast<double>(dims);
  const RotaryScaling& scaling = position.scaling;
  double frequency = std::pow(position.theta, exponent);
  if (!scaling.factors.empty()) frequency /= scaling.factors[static_cast<std::size_t>(number)];
  if (scaling.factor == 1) return static_cast<double>(at) * frequency;
  const double turns = static_cast<double>(scaling.positions) * frequency / (2 * std::numbers::pi);
  const double kept = scaling.blend == RotaryBlend::Turns
                          ? std::clamp((turns - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0)
                          : kept_by_number(rotary_ramp(position, dims), number);
  return static_cast<double>(at) * ((1 - kept) * frequency / scaling.factor + kept * frequency);
}

std::vector<double> alibi_slopes(Index heads) {
  std::vector<double> slopes;
  const auto add = [&](Index power, Index first, Index step, Index count) {
    for (Index i = 0; i < count; ++i)
      slopes.push_back(std::exp2(-8.0 * static_cast<double>(first + i * step) / static_cast<double>(power)));
  };
  const auto low = static_cast<Index>(std::bit_floor(static_cast<std::size_t>(heads)));
  add(low, 1, 1, low);
  add(2 * low, 1, 2, heads - low);
  return slopes;
}

}  // namespace headlight
