#include "engine/tokenizers/word_level.h"

#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

Tokenizer word_level(const std::string& words) {
  TokenizerText text;
  text.model = R"({"type": "WordLevel", "unk_token": "?", "vocab": )" + words + "}";
  text.pre_tokenizer = R"({"type": "Whitespace"})";
  return text.tokenizer();
}

}  // namespace

TEST_CASE("word level: whole words, or the unknown one") {
  const Tokenizer tokenizer = word_level(R"({"?": 0, "a": 1, "b": 2})");
  CHECK(tokenizer.encode("a b c") == Ids{1, 2, 0});
  CHECK(tokenizer.encode("a\u200Db") == Ids{0});  // one word, because a joiner connects its parts
}

TEST_CASE("word level: without an unknown word such texts are refused") {
  const Tokenizer tokenizer = word_level(R"({"a": 1, "b": 2})");
  CHECK(tokenizer.encode("a b") == Ids{1, 2});
  check_error([&] { tokenizer.encode("a c"); }, "\"c\" is not in the vocabulary", "model.unk_token",
              "model.vocab");
  check_error([] { word_level(R"([["a", 1]])"); }, "a list", "model.vocab", "write");
}
