// Checked access to the members of a JSON object: each Error names the place and the nearest known word.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_document.h"

namespace headlight {

// A keyword of a file format and its value.
template <class E>
struct Word {
  std::string_view word;
  E value;
};

// The word of a value; "" if it has none.
template <class E, std::size_t N>
std::string_view word_of(const std::array<Word<E>, N>& words, E value) {
  for (const Word<E>& word : words)
    if (word.value == value) return word.word;
  return "";
}

class JsonFields {
 public:
  // place: the object's name in messages, such as "attention"; "" for the whole file. Throws Error if `value`
  // is not an object or has a key that is neither in `known` nor in `ignored`. `value` must outlive this.
  JsonFields(const Json& value, std::string place, const std::vector<std::string>& known,
             const std::vector<std::string>& ignored = {});

  std::string place(std::string_view key) const;  // "attention.mask"
  const Json* find(std::string_view key) const;   // null if the key is missing
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Json& require(std::string_view key, const std::string& hint) const;

  std::string text(std::string_view key, const std::string& fallback) const;
  bool flag(std::string_view key, bool fallback) const;
  double number(std::string_view key, double fallback) const;
  std::int64_t whole(std::string_view key, std::int64_t fallback, std::int64_t low, std::int64_t high) const;

  template <class E, std::size_t N>
  E choice(std::string_view key, const std::array<Word<E>, N>& words, E fallback) const {
    const Json* value = find(key);
    return value ? word_value(*value, place(key), words) : fallback;
  }

  // The value of one word. Throws Error that names the nearest known word.
  template <class E, std::size_t N>
  static E word_value(const Json& value, const std::string& place, const std::array<Word<E>, N>& words) {
    std::vector<std::string> names;
    names.reserve(N);
    for (const Word<E>& word : words)
      names.emplace_back(word.word);
    const std::size_t index = word_index(value, place, names);
    return words[index].value;
  }

 private:
  static std::size_t word_index(const Json& value, const std::string& place,
                                const std::vector<std::string>& names);

  const Json& value_;
  std::string place_;
};

// Throw Error unless `value` is a JSON number; true or false; a whole number in that range; text.
double number_value(const Json& value, const std::string& place);
bool flag_value(const Json& value, const std::string& place);
std::int64_t whole_value(const Json& value, const std::string& place, std::int64_t low, std::int64_t high);
const std::string& text_value(const Json& value, const std::string& place);

}  // namespace headlight
