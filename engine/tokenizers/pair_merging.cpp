#include "engine/tokenizers/pair_merging.h"

#include "engine/core/stopping.h"

namespace headlight {

PairMerging::PairMerging(std::vector<std::string> tokens, std::size_t most)
    : tokens_(std::move(tokens)), most_(most) {
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    ids_[tokens_[i]] = static_cast<std::int32_t>(i);
}

void PairMerging::add_word(std::vector<std::int32_t> ids, std::int64_t count) {
  words_.push_back({std::move(ids), count});
  count_pairs(words_.size() - 1, count);
}

// Adds the word's pairs `times` times to the counts.
void PairMerging::count_pairs(std::size_t word, std::int64_t times) {
  const std::vector<std::int32_t>& ids = words_[word].ids;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    const Key pair = key_of(ids[i], ids[i + 1]);
    counts_[pair] += times;
    if (times > 0) places_[pair].insert(word);
  }
}

// Two merges may make the same text: it has one id.
std::int32_t PairMerging::id_of_joined(const Merge& merge) {
  const std::string text =
      tokens_[static_cast<std::size_t>(merge.left)] + tokens_[static_cast<std::size_t>(merge.right)];
  const auto [found, is_new] = ids_.try_emplace(text, static_cast<std::int32_t>(tokens_.size()));
  if (is_new) tokens_.push_back(text);
  return found->second;
}

void PairMerging::join(std::size_t word, const Merge& merge, std::int32_t joined) {
  Word& own = words_[word];
  count_pairs(word, -own.count);
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < own.ids.size(); ++i) {
    const bool here = own.ids[i] == merge.left && i + 1 < own.ids.size() && own.ids[i + 1] == merge.right;
    ids.push_back(here ? joined : own.ids[i]);
    if (here) ++i;
  }
  own.ids = std::move(ids);
  count_pairs(word, own.count);
  for (std::size_t i = 0; i + 1 < own.ids.size(); ++i)
    if (own.ids[i] == joined || own.ids[i + 1] == joined) {
      const Key pair = key_of(own.ids[i], own.ids[i + 1]);
      queue_.push({counts_[pair], pair});
    }
}

std::vector<PairMerging::Merge> PairMerging::run() {
  for (const auto& [pair, count] : counts_)
    queue_.push({count, pair});
  std::vector<Merge> merges;
  while (tokens_.size() < most_ && !queue_.empty()) {
    throw_if_stopped();
    const Candidate best = queue_.top();
    queue_.pop();
    const std::int64_t count = counts_[best.pair];
    if (count <= 0) continue;
    if (count != best.count) {
      queue_.push({count, best.pair});
      continue;
    }
    const Merge merge = {static_cast<std::int32_t>(best.pair >> 32),
                         static_cast<std::int32_t>(best.pair & 0xffffffffu)};
    merges.push_back(merge);
    const std::int32_t joined = id_of_joined(merge);
    const std::unordered_set<std::size_t> places = std::move(places_[best.pair]);
    places_.erase(best.pair);
    for (const std::size_t word : places)
      join(word, merge, joined);
  }
  return merges;
}

}  // namespace headlight
