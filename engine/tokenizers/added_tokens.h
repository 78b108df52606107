// Tokens that are cut out of a text before the model processes it: "added_tokens" of a tokenizer.json.
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
#include "engine/tokenizers/allowance.h"
#include "engine/tokenizers/vocabulary.h"
#include "engine/tokenizers/word_trie.h"

namespace headlight {

struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool special = false;
  bool single_word = false;  // only if no word character is beside it
  bool lstrip = false;       // includes the white space before it
  bool rstrip = false;       // and after it
  bool normalized = false;   // both the text and the content are normalized before the search
};

// A part of a text: from begin up to end, and the token's id if it is one.
struct TextPart {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<std::int32_t> id;
};

// Finds tokens by the bytes of their contents: the leftmost first, of several there the longest.
class TokenFinder {
 public:
  struct Content {
    std::string text;  // not empty
    const AddedToken* token;
  };
  TokenFinder() = default;
  // Of equal contents the first is used.
  explicit TokenFinder(std::vector<Content> contents);
  // The whole text in order; parts between tokens are not empty. Throws `Error` as SearchBudget does.
  std::vector<TextPart> cut(std::string_view text) const;

 private:
  struct Found {
    std::size_t end = 0;
    const AddedToken* token = nullptr;
  };

  std::vector<Content> contents_;
  std::optional<WordTrie> trie_;  // of contents_; empty if there are none
};

class AddedTokens {
 public:
  using Normalize = std::function<std::string(std::string, Allowance&)>;
  // list: null for none. Throws `Error` with a place that begins with "added_tokens", also when an id is
  // another word's in the vocabulary, or the vocabulary has another id for the content.
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

// The words of all ids: those of the model and the added tokens.
struct TokenNames {
  std::shared_ptr<const Vocabulary> vocabulary;
  std::shared_ptr<const AddedTokens> added;

  std::optional<std::int32_t> find(std::string_view word) const;
  const std::string* word(std::int32_t id) const;  // null if unknown
};

}  // namespace headlight
