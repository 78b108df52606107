// SentencePiece's normalization, as stored in "precompiled_charsmap": characters or pairs of them and their
// replacements, such as those of nmt_nfkc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

class CharMap {
 public:
  // base64: the file's text: the size of a double array trie in bytes, its units, and the replacements to
  // which it refers, each up to a zero. Throws `Error` with the place for anything else.
  CharMap(const std::string& base64, const std::string& place);

  // Replaces each grapheme of less than 6 bytes as a whole if the map has a beginning of it, else each of its
  // characters. text: UTF-8; so is the result, which is at most 64 times as long.
  std::string apply(std::string_view text) const;

 private:
  // The replacement for the shortest beginning of `part` that the map has.
  std::optional<std::string_view> replacement(std::string_view part) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace headlight
