#include "engine/tokenizers/word_trie.h"

#include <map>
#include <random>
#include <string>

#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kPlace = "words";

std::vector<std::pair<std::size_t, std::int32_t>> found_at(const WordTrie& trie, const std::string& text,
                                                           std::size_t at) {
  std::vector<std::pair<std::size_t, std::int32_t>> found;
  SearchBudget look_ups(text.size(), kPlace);
  trie.words_at(text, at, look_ups,
                [&](std::size_t end, std::int32_t value) { found.emplace_back(end, value); });
  return found;
}

}  // namespace

TEST_CASE("word trie: finds what a plain comparison does") {
  std::mt19937 random(3);
  const auto word = [&](unsigned most) {
    std::string made(random() % most, ' ');
    for (char& c : made)
      c = static_cast<char>("ab\xC3\xFF\0"[random() % 5]);
    return made;
  };
  for (int round = 0; round < 200; ++round) {
    std::map<std::string, std::int32_t> values;
    std::vector<std::string> words(random() % 30);
    std::vector<std::pair<std::string_view, std::int32_t>> entries;
    for (std::string& one : words) {
      one = word(6);
      values.emplace(one, static_cast<std::int32_t>(entries.size()));
      entries.emplace_back(one, static_cast<std::int32_t>(entries.size()));
    }
    const WordTrie trie(entries);
    const std::string text = word(20);
    for (std::size_t at = 0; at <= text.size(); ++at) {
      std::vector<std::pair<std::size_t, std::int32_t>> expected;
      for (std::size_t end = at + 1; end <= text.size(); ++end)
        if (const auto known = values.find(text.substr(at, end - at)); known != values.end())
          expected.emplace_back(end, known->second);
      REQUIRE(found_at(trie, text, at) == expected);
    }
  }
}

TEST_CASE("word trie: without words nothing is found") {
  CHECK(found_at(WordTrie({}), "ab", 0).empty());
  CHECK(found_at(WordTrie({{"", 0}}), "ab", 0).empty());
}

TEST_CASE("word trie: look-ups are counted") {
  const std::string word(2'000, 'a');
  const WordTrie trie({{word, 0}});
  SearchBudget look_ups(4'000, kPlace);
  const std::string text(4'000, 'a');
  std::size_t at = 0;
  check_error(
      [&] {
        for (; at < text.size(); ++at)
          trie.words_at(text, at, look_ups, [](std::size_t, std::int32_t) {});
      },
      "begin alike", kPlace, "shorter");
  CHECK(at < 600);  // each position takes 2,000 steps
}
