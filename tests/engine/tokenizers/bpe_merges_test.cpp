#include "engine/tokenizers/bpe_merges.h"

#include <map>
#include <optional>
#include <random>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace headlight;

namespace {

using Ids = std::vector<std::int32_t>;
struct Rule {
  std::uint32_t rank;
  std::int32_t merged;
};
using Rules = std::map<std::pair<std::int32_t, std::int32_t>, Rule>;

// Reference implementation: searches the best pair again after every merge.
Ids merged_by_search(Ids symbols, const Rules& rules) {
  while (true) {
    std::optional<std::size_t> best;
    Rule rule{};
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = rules.find({symbols[i], symbols[i + 1]});
      if (found == rules.end() || (best && found->second.rank >= rule.rank)) continue;
      best = i;
      rule = found->second;
    }
    if (!best) return symbols;
    symbols[*best] = rule.merged;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
  }
}

struct RandomMerges {
  Rules rules;
  BpeMerges merges{0};
};

// Random merges of existing words, starting from single letters.
RandomMerges random_merges(std::mt19937& random, int letters, int count) {
  std::vector<std::string> words;
  std::map<std::string, std::int32_t> ids;
  const auto id_of = [&](const std::string& word) {
    const auto [known, is_new] = ids.emplace(word, static_cast<std::int32_t>(words.size()));
    if (is_new) words.push_back(word);
    return known->second;
  };
  for (int i = 0; i < letters; ++i)
    id_of(std::string(1, static_cast<char>('a' + i)));
  RandomMerges made{{}, BpeMerges(static_cast<std::size_t>(count))};
  for (int i = 0; i < count; ++i) {
    const std::string left = words[random() % words.size()], right = words[random() % words.size()];
    const std::int32_t merged = id_of(left + right);
    const auto rank = static_cast<std::uint32_t>(i);
    made.rules[{id_of(left), id_of(right)}] = {rank, merged};
    made.merges.add(id_of(left), id_of(right), rank, merged);
  }
  return made;
}

}  // namespace

TEST_CASE("bpe merges: the heap does what a plain loop does") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const int letters = 1 + static_cast<int>(random() % 4);
    const RandomMerges made = random_merges(random, letters, 1 + static_cast<int>(random() % 40));
    for (int word = 0; word < 10; ++word) {
      Ids symbols(random() % 60);
      for (std::int32_t& symbol : symbols)
        symbol = static_cast<std::int32_t>(random() % static_cast<unsigned>(letters));
      const Ids expected = merged_by_search(symbols, made.rules);
      made.merges.apply(symbols);
      REQUIRE(symbols == expected);
    }
  }
}

TEST_CASE("bpe merges: of equal pairs the leftmost goes first, and a later rule for a pair counts") {
  BpeMerges merges(3);
  merges.add(0, 0, 0, 1);
  Ids odd = {0, 0, 0};
  merges.apply(odd);
  CHECK(odd == Ids{1, 0});
  merges.add(0, 0, 5, 2);
  Ids even = {0, 0};
  merges.apply(even);
  CHECK(even == Ids{2});
  Ids none;
  merges.apply(none);
  CHECK(none.empty());
}
