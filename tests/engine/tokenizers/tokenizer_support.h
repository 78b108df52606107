// A small tokenizer.json whose parts a test can replace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/support/format_support.h"

namespace headlight_test {

using Ids = std::vector<std::int32_t>;

struct TokenizerText {
  std::string model = R"({"type": "BPE", "unk_token": "<unk>", "merges": ["a b", "ab c"],
                          "vocab": {"<unk>": 0, "a": 1, "b": 2, "c": 3, "ab": 4, "abc": 5, "▁": 6}})";
  std::string normalizer = "null";
  std::string pre_tokenizer = "null";
  std::string post_processor = "null";
  std::string decoder = "null";
  std::string added_tokens = "[]";

  std::string json() const {
    return R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": )" + added_tokens +
           R"(, "normalizer": )" + normalizer + R"(, "pre_tokenizer": )" + pre_tokenizer +
           R"(, "post_processor": )" + post_processor + R"(, "decoder": )" + decoder + R"(, "model": )" +
           model + "}";
  }
  headlight::Tokenizer tokenizer() const { return headlight::Tokenizer::parse(json(), "tokenizer.json"); }
};

// A BPE model without merges whose vocabulary is `words`, with ids from 0.
inline std::string model_of(const std::vector<std::string>& words, const std::string& rest = "") {
  headlight::Json vocabulary = headlight::Json::object();
  for (std::size_t i = 0; i < words.size(); ++i)
    vocabulary[words[i]] = i;
  return R"({"type": "BPE", "merges": [], "ignore_merges": true, "vocab": )" + vocabulary.dump() + rest + "}";
}

// The words of the ids that encode a text.
inline std::vector<std::string> words_of(const headlight::Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> words;
  for (const std::int32_t id : tokenizer.encode(text))
    words.push_back(tokenizer.word(id));
  return words;
}

}  // namespace headlight_test
