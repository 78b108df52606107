// Joins the most frequent pair of neighbouring tokens within words, again and again.
#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace headlight {

class PairMerging {
 public:
  struct Merge {
    std::int32_t left = 0, right = 0;
  };

  // tokens: those that there are from the start; most: how many there may be.
  PairMerging(std::vector<std::string> tokens, std::size_t most);

  // A word of the texts as ids, and how often it occurs.
  void add_word(std::vector<std::int32_t> ids, std::int64_t count);
  // Call once, after all words. Of equally frequent pairs that of the smaller ids is joined first. Ends when
  // there are enough tokens or no pairs. Cost: about that of the words for each token they contain.
  std::vector<Merge> run();
  const std::vector<std::string>& tokens() const { return tokens_; }

 private:
  using Key = std::uint64_t;  // both ids, the left one above
  struct Word {
    std::vector<std::int32_t> ids;
    std::int64_t count = 0;
  };
  struct Candidate {
    std::int64_t count = 0;
    Key pair = 0;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };
  static Key key_of(std::int32_t left, std::int32_t right) {
    return static_cast<Key>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
  }
  void count_pairs(std::size_t word, std::int64_t times);
  std::int32_t id_of_joined(const Merge& merge);
  void join(std::size_t word, const Merge& merge, std::int32_t joined);

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int32_t> ids_;  // of tokens_
  std::size_t most_;
  std::vector<Word> words_;
  std::unordered_map<Key, std::int64_t> counts_;
  std::unordered_map<Key, std::unordered_set<std::size_t>> places_;  // words that have or had the pair
  std::priority_queue<Candidate> queue_;  // with counts that may have changed since
};

}  // namespace headlight
