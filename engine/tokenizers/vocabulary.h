// The words of a model and their ids.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/json/json_document.h"

namespace headlight {

constexpr std::int64_t kMostTokenId = 10'000'000;

class Vocabulary {
 public:
  // {"word": id, ...}, or [["word", score], ...] where ids count from 0 and a repeated word has its last id.
  // Throws `Error` when an id is not between 0 and kMostTokenId, or belongs to another word too.
  Vocabulary(const Json& words, const std::string& place);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  std::optional<std::int32_t> find(std::string_view word) const;
  const std::string* word(std::int32_t id) const;                                     // null if unknown
  std::int32_t size() const { return words_.empty() ? 0 : words_.back().first + 1; }  // largest id + 1
  const std::string& place() const { return place_; }

  // Sorted by id, one entry per id.
  const std::vector<std::pair<std::int32_t, std::string>>& words() const { return words_; }

 private:
  void read_object(const Json& words);
  void read_list(const Json& words);

  std::string place_;
  std::vector<std::pair<std::int32_t, std::string>> words_;  // sorted by id
  std::unordered_map<std::string_view, std::int32_t> ids_;   // keys refer to words_
};

// Appends the ids of one word, as pre-tokenizers produce them. word: UTF-8, not empty.
using WordEncoder = std::function<void(std::string_view word, std::vector<std::int32_t>& ids)>;

}  // namespace headlight
