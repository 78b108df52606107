#include "engine/tokenizers/vocabulary.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_fields.h"
#include "engine/tokenizers/typed_fields.h"

namespace headlight {

Vocabulary::Vocabulary(const Json& words, const std::string& place) : place_(place) {
  if (words.is_array())
    read_list(words);
  else
    read_object(words);
}

void Vocabulary::read_object(const Json& words) {
  if (!words.is_object())
    throw Error("is " + json_kind(words) + ", expected an object of words", place_,
                "write {\"word\": 0, ...}");
  const auto& members = words.get_ref<const Json::object_t&>();
  words_.reserve(members.size());
  for (const auto& [word, id] : members)
    words_.emplace_back(whole_value(id, place_ + "[" + in_quotes(word) + "]", 0, kMostTokenId), word);
  std::sort(words_.begin(), words_.end());
  ids_.reserve(words_.size());
  for (const auto& [id, word] : words_) {
    if (!ids_.empty() && id == words_[ids_.size() - 1].first)
      throw Error(
          "id " + std::to_string(id) + " is that of " + in_quotes(words_[ids_.size() - 1].second) + " too",
          place_ + "[" + in_quotes(word) + "]", "give every word an id of its own");
    ids_.emplace(word, id);
  }
}

void Vocabulary::read_list(const Json& words) {
  const Json::array_t& list = words.get_ref<const Json::array_t&>();
  if (list.size() > static_cast<std::size_t>(kMostTokenId))
    throw Error("there are " + std::to_string(list.size()) + " words", place_,
                "at most " + std::to_string(kMostTokenId) + " can be read");
  words_.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_array() || list[i].size() != 2 || !list[i][0].is_string())
      throw Error("is " + json_kind(list[i]) + ", expected a word and its score", place_in_list(place_, i),
                  "write [\"word\", -1.5]");
    words_.emplace_back(static_cast<std::int32_t>(i), list[i][0].get<std::string>());
  }
  ids_.reserve(words_.size());
  for (const auto& [id, word] : words_)
    ids_[word] = id;
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
