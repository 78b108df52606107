#include "engine/tokenizers/word_trie.h"

#include <algorithm>

#include "engine/core/stopping.h"

namespace headlight {

WordTrie::WordTrie(std::vector<std::pair<std::string_view, std::int32_t>> words) {
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // The words of a node have the same first `depth` bytes.
  struct Part {
    std::size_t begin, end;
  };
  std::vector<Part> level = {{0, words.size()}}, below;
  letters_ = {0};
  for (std::size_t depth = 0; !level.empty(); ++depth) {
    throw_if_stopped();
    below.clear();
    for (auto [begin, end] : level) {
      steps_.push_back(static_cast<std::uint32_t>(letters_.size()));
      const bool is_word = begin < end && words[begin].first.size() == depth;
      values_.push_back(is_word ? words[begin].second : -1);
      while (begin < end && words[begin].first.size() == depth)
        ++begin;
      while (begin < end) {
        const char letter = words[begin].first[depth];
        const auto others =
            std::partition_point(words.begin() + static_cast<std::ptrdiff_t>(begin),
                                 words.begin() + static_cast<std::ptrdiff_t>(end),
                                 [&](const auto& word) { return word.first[depth] == letter; });
        letters_.push_back(static_cast<unsigned char>(letter));
        below.push_back({begin, static_cast<std::size_t>(others - words.begin())});
        begin = below.back().end;
      }
    }
    level.swap(below);
  }
  steps_.push_back(static_cast<std::uint32_t>(letters_.size()));
  for (std::uint32_t node = steps_[0]; node < steps_[1]; ++node)
    first_steps_[letters_[node]] = node;
}

}  // namespace headlight
