#include "engine/tokenizers/bpe_merges.h"

#include <algorithm>
#include <bit>
#include <queue>

#include "engine/core/stopping.h"

namespace headlight {
namespace {

constexpr std::uint64_t kFree = ~std::uint64_t{0};

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

struct Candidate {
  std::uint32_t rank;
  std::int32_t at;
  std::int32_t merged;
};
// The top of a heap is the largest: that of the lowest rank, then the leftmost.
bool operator<(const Candidate& left, const Candidate& right) {
  return left.rank != right.rank ? left.rank > right.rank : left.at > right.at;
}

}  // namespace

// The symbols of one word, each linked with its remaining neighbours.
class BpeMerges::Chain {
 public:
  Chain(const BpeMerges& merges, std::vector<std::int32_t>& symbols) : merges_(merges), symbols_(symbols) {
    const auto count = static_cast<std::int32_t>(symbols.size());
    links_.reserve(symbols.size());
    for (std::int32_t at = 0; at < count; ++at)
      links_.push_back({at - 1, at + 1 == count ? kNone : at + 1});
  }

  void merge_all() {
    std::vector<Candidate> first;
    for (std::int32_t at = 0; at + 1 < static_cast<std::int32_t>(symbols_.size()); ++at)
      if (const Merge* merge = candidate(at)) first.push_back({merge->rank, at, merge->merged});
    heap_ = std::priority_queue<Candidate>({}, std::move(first));
    for (unsigned steps = 0; !heap_.empty(); ++steps) {
      if (steps % 1024 == 0) throw_if_stopped();
      const Candidate best = heap_.top();
      heap_.pop();
      // Other merges may have changed the symbols there since.
      const Merge* merge = candidate(best.at);
      if (merge && merge->merged == best.merged) merge_at(best.at, best.merged);
    }
    std::erase(symbols_, kNone);
  }

 private:
  static constexpr std::int32_t kNone = -1;
  struct Links {
    std::int32_t before;
    std::int32_t after;
  };

  std::int32_t& symbol(std::int32_t at) { return symbols_[static_cast<std::size_t>(at)]; }
  Links& links(std::int32_t at) { return links_[static_cast<std::size_t>(at)]; }

  // The merge of the symbol at `at` with the next one; null if the symbol is gone or there is no such merge.
  const Merge* candidate(std::int32_t at) {
    const std::int32_t after = links(at).after;
    return symbol(at) == kNone || after == kNone ? nullptr : merges_.find(symbol(at), symbol(after));
  }

  void merge_at(std::int32_t at, std::int32_t merged) {
    const std::int32_t gone = links(at).after;
    symbol(at) = merged;
    symbol(gone) = kNone;
    links(at).after = links(gone).after;
    if (links(at).after != kNone) links(links(at).after).before = at;
    push(links(at).before);
    push(at);
  }
  void push(std::int32_t at) {
    if (at == kNone) return;
    if (const Merge* merge = candidate(at)) heap_.push({merge->rank, at, merge->merged});
  }

  const BpeMerges& merges_;
  std::vector<std::int32_t>& symbols_;
  std::vector<Links> links_;
  std::priority_queue<Candidate> heap_;
};

BpeMerges::BpeMerges(std::size_t count) : table_(std::bit_ceil(2 * count + 1), Merge{kFree, 0, 0}) {}

std::size_t BpeMerges::place_of(std::uint64_t pair) const {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: high bits depend on all
  const std::uint64_t mixed = (pair ^ pair >> 29) * kMix;
  std::size_t at = (mixed >> 20) & (table_.size() - 1);
  while (table_[at].pair != kFree && table_[at].pair != pair)
    at = (at + 1) & (table_.size() - 1);
  return at;
}

void BpeMerges::add(std::int32_t left, std::int32_t right, std::uint32_t rank, std::int32_t merged) {
  const std::uint64_t pair = pair_of(left, right);
  table_[place_of(pair)] = {pair, rank, merged};
}

const BpeMerges::Merge* BpeMerges::find(std::int32_t left, std::int32_t right) const {
  const Merge& found = table_[place_of(pair_of(left, right))];
  return found.pair == kFree ? nullptr : &found;
}

void BpeMerges::apply(std::vector<std::int32_t>& symbols) const {
  if (symbols.size() > 1) Chain(*this, symbols).merge_all();
}

}  // namespace headlight
