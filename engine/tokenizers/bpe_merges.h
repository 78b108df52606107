// Byte pair encoding: merges neighbours, the pair of the lowest rank first, of equal pairs the leftmost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headlight {

class BpeMerges {
 public:
  explicit BpeMerges(std::size_t count);  // the largest number of merges

  // left, right, merged: ids, from 0. A later merge of the same pair replaces the earlier one.
  void add(std::int32_t left, std::int32_t right, std::uint32_t rank, std::int32_t merged);

  // symbols: the ids of a word's characters, from 0 and fewer than 2^31; on return, the merged symbols. Cost:
  // n log n in their number. Throws `Stopped`.
  void apply(std::vector<std::int32_t>& symbols) const;

 private:
  struct Merge {
    std::uint64_t pair;
    std::uint32_t rank;
    std::int32_t merged;
  };
  class Chain;

  // Open addressing: at least half of the places are free, so that each search ends.
  std::size_t place_of(std::uint64_t pair) const;
  const Merge* find(std::int32_t left, std::int32_t right) const;

  std::vector<Merge> table_;
};

}  // namespace headlight
