// Options whose value is one of a few words.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/json/json_fields.h"

namespace headlight {

template <class E, std::size_t N>
void add_word(CLI::App& command, const std::string& name, std::string& word,
              const std::array<Word<E>, N>& words, const std::string& what) {
  std::vector<std::string> known;
  known.reserve(N);
  for (const Word<E>& one : words)
    known.emplace_back(one.word);
  command.add_option(name, word, what)->type_name("NAME")->check(CLI::IsMember(known));
}

// Precondition: the word is one of them.
template <class E, std::size_t N>
E value_of(const std::array<Word<E>, N>& words, const std::string& word) {
  return std::find_if(words.begin(), words.end(), [&](const Word<E>& one) { return one.word == word; })
      ->value;
}

}  // namespace headlight
