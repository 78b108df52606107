// The distribution of the numbers of a matrix, from which a colour range can be chosen.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/views/query.h"

namespace headlight {

// Finds numbers by their rank without storing or sorting them, in two passes: the first counts numbers by the
// upper half of their bits, the second by the lower half for the relevant upper halves. Exact for any number
// of cells, with less than 3 MB.
class RankFinder {
 public:
  RankFinder() : upper_(kHalf, 0) {}

  void add_first(float value) {  // finite ones only
    ++upper_[ordered_bits(value) >> 16];
    ++count_;
  }
  // Call between the passes. ranks: from 0, each below count().
  void choose(const std::array<Index, 4>& ranks);
  void add_second(float value) {
    const std::uint32_t bits = ordered_bits(value);
    const std::int8_t slot = slots_[bits >> 16];
    if (slot >= 0) ++lower_[static_cast<std::size_t>(slot) * kHalf + (bits & (kHalf - 1))];
  }
  Index count() const { return count_; }
  float number(std::size_t chosen) const;  // the number with rank ranks[chosen]

 private:
  static constexpr std::size_t kHalf = 1 << 16;
  // Bits whose order as integers is the order of the numbers.
  static std::uint32_t ordered_bits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  }
  static float from_ordered(std::uint32_t bits) {
    return std::bit_cast<float>(bits & 0x80000000u ? bits & 0x7FFFFFFFu : ~bits);
  }

  struct Wanted {
    std::size_t upper = 0;
    Index rank = 0;  // among the numbers with these upper bits
  };
  std::vector<Index> upper_, lower_;
  std::vector<std::int8_t> slots_;  // by upper bits: the part of lower_ that counts them, or -1
  std::array<Wanted, 4> wanted_;
  Index count_ = 0;
};

// The ranks on both sides of the 2nd and the 98th percentile, interpolated as in numpy.percentile.
std::array<Index, 4> percentile_ranks(Index count);
void set_percentiles(ValueSpread& spread, const std::array<float, 4>& numbers);

// Up to this many cells, sorting is faster than counting bits.
inline constexpr Index kSortedCells = 1024;
ValueSpread spread_of_few(std::vector<float> numbers);

// The spread of the finite cells without a mark, from `column_begin` on. `mark_at(row, column)` returns the
// mark of a cell. Cost: two passes, or sorting for up to kSortedCells.
template <class MarkAt>
ValueSpread spread_of(const Matrix& whole, Index column_begin, MarkAt mark_at) {
  const auto each = [&](auto visit) {
    for (Index r = 0; r < whole.rows(); ++r)
      for (Index c = column_begin; c < whole.cols(); ++c)
        if (std::isfinite(whole(r, c)) && mark_at(r, c) == CellMark::None) visit(whole(r, c));
  };
  if (whole.rows() * (whole.cols() - column_begin) <= kSortedCells) {
    std::vector<float> numbers;
    each([&](float value) { numbers.push_back(value); });
    return spread_of_few(std::move(numbers));
  }
  ValueSpread spread;
  RankFinder ranks;
  each([&](float value) {
    spread.low = ranks.count() == 0 ? value : std::min(spread.low, value);
    spread.high = ranks.count() == 0 ? value : std::max(spread.high, value);
    if (value > 0 && (spread.least_positive == 0 || value < spread.least_positive))
      spread.least_positive = value;
    ranks.add_first(value);
  });
  spread.count = ranks.count();
  if (spread.count == 0) return spread;
  ranks.choose(percentile_ranks(spread.count));
  each([&](float value) { ranks.add_second(value); });
  set_percentiles(spread, {ranks.number(0), ranks.number(1), ranks.number(2), ranks.number(3)});
  return spread;
}

}  // namespace headlight
