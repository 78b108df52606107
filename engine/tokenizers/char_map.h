// SentencePiece's own normalization, as "precompiled_charsmap" holds it: characters or pairs of them and what
// they become, such as those of nmt_nfkc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

class CharMap {
 public:
  // base64: the file's text: the size of a double array trie in bytes, its units, and the texts that it
  // names, each up to a zero. Throws Error with the place when it is anything else.
  CharMap(const std::string& base64, const std::string& place);

  // Each grapheme of less than 6 bytes as a whole where the map knows how it begins, else each of its
  // characters. text: UTF-8; so is the result, which is at most 64 times as long.
  std::string apply(std::string_view text) const;

 private:
  // What the shortest beginning of `part` that the map has becomes.
  std::optional<std::string_view> replacement(std::string_view part) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace headlight
