#include "engine/tokenizers/vocabulary.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_fields.h"

namespace headlight {

Vocabulary::Vocabulary(const Json& words, const std::string& place) : place_(place) {
  if (!words.is_object())
    throw Error("is " + json_kind(words) + ", expected an object of words", place,
                "write {\"word\": 0, ...}");
  const auto& members = words.get_ref<const Json::object_t&>();
  words_.reserve(members.size());
  for (const auto& [word, id] : members)
    words_.emplace_back(whole_value(id, place + "[" + in_quotes(word) + "]", 0, kMostTokenId), word);
  std::sort(words_.begin(), words_.end());
  ids_.reserve(words_.size());
  for (const auto& [id, word] : words_) {
    if (!ids_.empty() && id == words_[ids_.size() - 1].first)
      throw Error(
          "id " + std::to_string(id) + " is that of " + in_quotes(words_[ids_.size() - 1].second) + " too",
          place + "[" + in_quotes(word) + "]", "give every word an id of its own");
    ids_.emplace(word, id);
    longest_ = std::max(longest_, word.size());
  }
}

std::optional<std::int32_t> Vocabulary::find(std::string_view word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::word(std::int32_t id) const {
  const auto found =
      std::lower_bound(words_.begin(), words_.end(), id,
                       [](const auto& entry, std::int32_t wanted) { return entry.first < wanted; });
  return found == words_.end() || found->first != id ? nullptr : &found->second;
}

}  // namespace headlight
