#include "engine/tokenizers/added_tokens.h"

#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Texts = std::vector<std::string>;

// An added token with id 100, normalized or not, optionally with one more flag.
std::string added(const std::string& content, const std::string& flag = "", bool normalized = false) {
  return R"({"id": 100, "content": ")" + content + R"(", "special": true, "normalized": )" +
         (normalized ? "true" : "false") + (flag.empty() ? "" : ", \"" + flag + "\": true") + "}";
}

TokenizerText with_tokens(const std::string& list) {
  TokenizerText text;
  text.model = model_of({"a", "b", " ", "A", "x"});
  text.added_tokens = "[" + list + "]";
  return text;
}

Texts words_with(const std::string& tokens, const std::string& text) {
  return words_of(with_tokens(tokens).tokenizer(), text);
}

}  // namespace

TEST_CASE("added tokens: the longest at the leftmost place") {
  const std::string tokens =
      added("ab") +
      R"(, {"id": 101, "content": "abab", "normalized": false}, {"id": 102, "content": "ba", "normalized": false})";
  CHECK(words_with(tokens, "ababa") == Texts{"abab", "a"});
  CHECK(words_with(tokens, "baba") == Texts{"ba", "ba"});
  CHECK(words_with(tokens, "aabx") == Texts{"a", "ab", "x"});
}

TEST_CASE("added tokens: white space beside them, and whole words") {
  CHECK(words_with(added("M", "lstrip"), "a  M b") == Texts{"a", "M", " ", "b"});
  CHECK(words_with(added("M", "rstrip"), "a M \tb") == Texts{"a", " ", "M", "b"});
  CHECK(words_with(added("M", "lstrip"), " MM") == Texts{"M", "M"});
  CHECK(words_with(added("ab", "single_word"), "ab aab ab") == Texts{"ab", " ", "a", "a", "b", " ", "ab"});
}

TEST_CASE("added tokens: those that are normalized are found behind the normalizer") {
  TokenizerText text = with_tokens(added("AB", "", true));
  text.normalizer = R"({"type": "Lowercase"})";
  CHECK(words_of(text.tokenizer(), "aAbA") == Texts{"a", "AB", "a"});
  text.added_tokens = "[" + added("AB") + "]";
  CHECK(words_of(text.tokenizer(), "abABA") == Texts{"a", "b", "AB", "a"});
}

TEST_CASE("added tokens: a normalizer sees each part by itself") {
  TokenizerText text = with_tokens(added("M"));
  text.normalizer = R"({"type": "Prepend", "prepend": "x"})";
  CHECK(words_of(text.tokenizer(), "aMb") == Texts{"x", "a", "M", "x", "b"});
  CHECK(words_of(text.tokenizer(), "M") == Texts{"M"});
}

TEST_CASE("added tokens: Metaspace that goes in front of the first part only") {
  TokenizerText text = with_tokens(added("M"));
  text.model = model_of({"a", "b", "▁"});
  text.pre_tokenizer =
      R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false})";
  CHECK(words_of(text.tokenizer(), "aMb") == Texts{"▁", "a", "M", "b"});
  CHECK(words_of(text.tokenizer(), "Mb") == Texts{"M", "b"});
}

TEST_CASE("added tokens: ids beyond the vocabulary, masks and sizes") {
  const Tokenizer tokenizer = with_tokens(R"({"id": 100, "content": "<mask>", "lstrip": true})").tokenizer();
  CHECK(tokenizer.size() == 101);
  CHECK(tokenizer.mask_token() == 100);
  CHECK(tokenizer.find("<mask>") == 100);
  CHECK(tokenizer.text_of(100) == "<mask>");
  CHECK_FALSE(tokenizer.is_special(100));
  CHECK(tokenizer.word(99) == "");
}

TEST_CASE("added tokens: faults are named") {
  const auto fault = [](const std::string& list, const std::string& what, const std::string& where,
                        const std::string& hint) {
    check_error([&] { with_tokens(list).tokenizer(); }, what, "tokenizer.json: added_tokens[" + where, hint);
  };
  fault(R"({"id": 0, "content": "z"})", "id 0 is that of \"a\"", "0].id", "an id of its own");
  fault(R"({"id": 9, "content": "a"})", "\"a\" has id 9, but 0 in model.vocab", "0].id", "same id");
  fault(added("M") + "," + added("N"), "id 100 is that of \"M\"", "1].id", "an id of its own");
  fault(R"({"id": 8, "content": "z"}, {"id": 9, "content": "z"})", "there twice", "1].content", "remove");
  fault(R"({"id": -1, "content": "z"})", "-1, expected a whole number", "0].id", "range");
  fault(R"({"id": 10000001, "content": "z"})", "10000001", "0].id", "range");
  fault(R"({"content": "z"})", "missing", "0].id", "give");
  fault(R"({"id": 9, "content": ""})", "empty", "0].content", "remove");
  fault(R"({"id": 9, "content": "z", "strip": true})", "unknown key \"strip\"", "0].strip", "lstrip");
  fault(R"("z")", "is text", "0]", "content");
  TokenizerText stripped = with_tokens(added("\\t", "", true));
  stripped.normalizer = R"({"type": "Strip"})";
  check_error([&] { stripped.tokenizer(); }, "nothing is left of", "added_tokens[0].normalized", "false");
}
