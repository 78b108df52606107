// A trie of words: finds all words that begin at a position of a text.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizers/allowance.h"

namespace headlight {

class WordTrie {
 public:
  // words: each with its value, from 0; of equal words the first is used. An empty word is never found.
  explicit WordTrie(std::vector<std::pair<std::string_view, std::int32_t>> words);

  // Calls found(end, value) for each word that begins at `at`, the shortest first. Throws as look_ups does.
  template <class Found>
  void words_at(std::string_view text, std::size_t at, SearchBudget& look_ups, Found found) const {
    std::uint32_t node = 0;
    for (std::size_t end = at; end < text.size();) {
      look_ups.count();
      node = step(node, static_cast<unsigned char>(text[end++]));
      if (node == 0) return;
      if (values_[node] >= 0) found(end, values_[node]);
    }
  }

 private:
  // The node after `letter`; 0 if there is none.
  std::uint32_t step(std::uint32_t node, unsigned char letter) const {
    if (node == 0) return first_steps_[letter];
    std::uint32_t low = steps_[node], high = steps_[node + 1];
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (letters_[middle] < letter)
        low = middle + 1;
      else
        high = middle;
    }
    return low < steps_[node + 1] && letters_[low] == letter ? low : 0;
  }

  // Nodes are in order of their depth, so that the children of a node are adjacent: from steps_[node] up to
  // steps_[node + 1]. Node 0 is the root.
  std::vector<std::uint32_t> steps_;
  std::vector<unsigned char> letters_;  // the one that leads to a node
  std::vector<std::int32_t> values_;    // of a node; -1 where no word ends
  std::vector<std::uint32_t> first_steps_ = std::vector<std::uint32_t>(256);
};

}  // namespace headlight
