#include "engine/views/value_spread.h"

#include <algorithm>

namespace headlight {
namespace {

constexpr double kLowShare = 0.02, kHighShare = 0.98;

double place(double share, Index count) {
  return share * static_cast<double>(count - 1);
}

float between(float low, float high, double share) {
  return static_cast<float>(std::lerp(double{low}, double{high}, share));
}

}  // namespace

void RankFinder::choose(const std::array<Index, 4>& ranks) {
  slots_.assign(kHalf, -1);
  std::int8_t slots = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Index before = 0;
    std::size_t upper = 0;
    while (before + upper_[upper] <= ranks[i])
      before += upper_[upper++];
    wanted_[i] = {upper, ranks[i] - before};
    if (slots_[upper] < 0) slots_[upper] = slots++;
  }
  lower_.assign(static_cast<std::size_t>(slots) * kHalf, 0);
}

float RankFinder::number(std::size_t chosen) const {
  const Wanted& wanted = wanted_[chosen];
  const std::size_t begin = static_cast<std::size_t>(slots_[wanted.upper]) * kHalf;
  Index before = 0;
  std::size_t low = 0;
  while (before + lower_[begin + low] <= wanted.rank)
    before += lower_[begin + low++];
  return from_ordered(static_cast<std::uint32_t>(wanted.upper << 16 | low));
}

std::array<Index, 4> percentile_ranks(Index count) {
  const auto at = [count](double share) { return static_cast<Index>(place(share, count)); };
  const auto above = [&](double share) { return std::min(at(share) + 1, count - 1); };
  return {at(kLowShare), above(kLowShare), at(kHighShare), above(kHighShare)};
}

void set_percentiles(ValueSpread& spread, const std::array<float, 4>& numbers) {
  const std::array<Index, 4> ranks = percentile_ranks(spread.count);
  const auto part = [&](double share, std::size_t rank) {
    return place(share, spread.count) - static_cast<double>(ranks[rank]);
  };
  spread.percentile_2 = between(numbers[0], numbers[1], part(kLowShare, 0));
  spread.percentile_98 = between(numbers[2], numbers[3], part(kHighShare, 2));
}

ValueSpread spread_of_few(std::vector<float> numbers) {
  ValueSpread spread;
  spread.count = static_cast<Index>(numbers.size());
  if (numbers.empty()) return spread;
  std::sort(numbers.begin(), numbers.end());
  spread.low = numbers.front();
  spread.high = numbers.back();
  const auto positive = std::upper_bound(numbers.begin(), numbers.end(), 0.0f);
  if (positive != numbers.end()) spread.least_positive = *positive;
  const std::array<Index, 4> ranks = percentile_ranks(spread.count);
  const auto number = [&](std::size_t i) { return numbers[static_cast<std::size_t>(ranks[i])]; };
  set_percentiles(spread, {number(0), number(1), number(2), number(3)});
  return spread;
}

}  // namespace headlight
