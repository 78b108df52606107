// Tokens that are cut out of a text before the model sees it: "added_tokens" of a tokenizer.json.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight {

struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool special = false;
  bool single_word = false;  // only where no letter stands beside it
  bool lstrip = false;       // takes the white space in front of it along
  bool rstrip = false;       // and behind it
  bool normalized = false;   // looked for in what the normalizer made, as the normalizer writes it
};

// A part of a text: from begin up to end, and the token that it is, if it is one.
struct TextPart {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<std::int32_t> id;
};

// Finds tokens by the bytes of their contents, the leftmost first, of several there the longest.
class TokenFinder {
 public:
  // The first of the same contents counts. content: not empty.
  void add(const std::string& content, const AddedToken* token);
  // The whole text in order; parts between tokens are not empty. In the number of bytes times the length of a
  // content.
  std::vector<TextPart> cut(std::string_view text) const;

 private:
  struct Found {
    std::size_t end = 0;
    const AddedToken* token = nullptr;
  };
  static std::uint64_t step(std::uint32_t node, char byte) {
    return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
  }
  Found longest_at(std::string_view text, std::size_t at) const;

  std::unordered_map<std::uint64_t, std::uint32_t> steps_;  // node and byte -> node; 0 is the beginning
  std::vector<const AddedToken*> tokens_ = {nullptr};       // by node; null where none ends
  std::vector<bool> begins_ = std::vector<bool>(256);       // by byte: whether a content begins with it
};

class AddedTokens {
 public:
  using Normalize = std::function<std::string(std::string)>;
  // list: null for none. Throws Error with a place from "added_tokens" on, also when an id is another word's
  // of the vocabulary, or the vocabulary gives the content another id.
  AddedTokens(const Json* list, const Vocabulary& vocabulary, const Normalize& normalize);
  AddedTokens(const AddedTokens&) = delete;
  AddedTokens& operator=(const AddedTokens&) = delete;

  const TokenFinder& as_typed() const { return as_typed_; }
  const TokenFinder& normalized() const { return normalized_; }
  const AddedToken* find(std::string_view content) const;
  const AddedToken* token(std::int32_t id) const;
  std::int32_t size() const;  // largest id + 1

 private:
  void read(const Json& list, const Vocabulary& vocabulary);
  void prepare(const Normalize& normalize);

  std::vector<AddedToken> tokens_;
  std::unordered_map<std::string_view, const AddedToken*> by_content_;
  std::unordered_map<std::int32_t, const AddedToken*> by_id_;
  TokenFinder as_typed_;
  TokenFinder normalized_;
};

// The words that ids stand for: those of the model and those that were added to it.
struct TokenNames {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::shared_ptr<const AddedTokens> added;

  std::optional<std::int32_t> find(std::string_view word) const;
  const std::string* word(std::int32_t id) const;  // null outside
};

}  // namespace headlight
