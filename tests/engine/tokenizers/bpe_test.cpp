#include "engine/tokenizers/bpe.h"

#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Texts = std::vector<std::string>;

Texts bpe_words(const std::string& model, const std::string& text) {
  TokenizerText whole;
  whole.model = model;
  return words_of(whole.tokenizer(), text);
}

const char* const kVocabulary =
    R"("vocab": {"?": 0, "a": 1, "b": 2, " ": 3, "ab": 4, "a b": 5, " b": 6, "<0xC3>": 7, "<0xA9>": 8})";

std::string model(const std::string& members) {
  return R"({"type": "BPE", )" + std::string(kVocabulary) + ", " + members + "}";
}

}  // namespace

TEST_CASE("bpe: merges as texts and as pairs") {
  CHECK(bpe_words(model(R"("merges": ["a b"])"), "abb") == Texts{"ab", "b"});
  CHECK(bpe_words(model(R"("merges": [["a", "b"]])"), "abb") == Texts{"ab", "b"});
  CHECK(bpe_words(model(R"("merges": [[" ", "b"], ["a", " b"]])"), "a b") == Texts{"a b"});
  CHECK(bpe_words(model(R"("merges": ["#version: 0.2", "a b"])"), "ab") == Texts{"ab"});
}

TEST_CASE("bpe: a model without a type, as older files have it") {
  CHECK(bpe_words(
            R"({"dropout": null, "unk_token": "", "continuing_subword_prefix": "", "end_of_word_suffix": "",
                  "fuse_unk": false, "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]})",
            "aab") == Texts{"a", "ab"});
}

TEST_CASE("bpe: words that are in the vocabulary may stay whole") {
  CHECK(bpe_words(model(R"("merges": [], "ignore_merges": true)"), "ab") == Texts{"ab"});
  CHECK(bpe_words(model(R"("merges": [], "ignore_merges": false)"), "ab") == Texts{"a", "b"});
}

TEST_CASE("bpe: characters that are not known") {
  CHECK(bpe_words(model(R"("merges": [])"), "azzb") == Texts{"a", "b"});
  CHECK(bpe_words(model(R"("merges": [], "unk_token": "?")"), "azzb") == Texts{"a", "?", "?", "b"});
  CHECK(bpe_words(model(R"("merges": [], "unk_token": "?", "fuse_unk": true)"), "azzbz") ==
        Texts{"a", "?", "b", "?"});
  const std::string fallback =
      model(R"("merges": [], "unk_token": "?", "fuse_unk": true, "byte_fallback": true)");
  CHECK(bpe_words(fallback, "aéb") == Texts{"a", "<0xC3>", "<0xA9>", "b"});
  CHECK(bpe_words(fallback, "zb") == Texts{"?", "b"});
  // As in the Rust library, an unknown token is emitted only at the next known character, after the bytes.
  CHECK(bpe_words(fallback, "zéb") == Texts{"<0xC3>", "<0xA9>", "?", "b"});
}

TEST_CASE("bpe: faults are named") {
  const auto fault = [](const std::string& members, const std::string& what, const std::string& where,
                        const std::string& hint) {
    check_error([&] { bpe_words(model(members), ""); }, what, "tokenizer.json: model." + where, hint);
  };
  fault(R"("merges": ["a z"])", "\"z\" is not in the vocabulary", "merges[0]", "add it");
  fault(R"("merges": ["a b", "b a"])", "\"ba\" is not in the vocabulary", "merges[1]", "remove the merge");
  fault(R"("merges": ["ab"])", "not two words", "merges[0]", "write \"a b\"");
  fault(R"("merges": ["a b a"])", "not two words", "merges[0]", "write");
  fault(R"("merges": [["a"]])", "expected two words", "merges[0]", "write");
  fault(R"("merges": {})", "expected a list", "merges", "[...]");
  fault(R"("dropout": null)", "missing", "merges", "list");
  fault(R"("merges": [], "dropout": 0.1)", "at random", "dropout", "null");
  fault(R"("merges": [], "unk_token": "z")", "\"z\" is not in the vocabulary", "unk_token", "add it");
  fault(R"("merges": [], "unigram": 1)", "unknown key", "unigram", "rename or remove");
}

TEST_CASE("bpe: the last character of a word with a suffix, those behind the first with a prefix") {
  const auto texts = [](const char* json, const std::string& text) { return bpe_words(json, text); };
  const char* const kSuffix = R"({"type": "BPE", "unk_token": "?", "end_of_word_suffix": "</w>",
      "vocab": {"?": 0, "a": 1, "a</w>": 2, "b</w>": 3, "b": 4, "ab</w>": 5, "aa": 6, "aab</w>": 7},
      "merges": ["a b</w>", "a a", "aa b</w>"]})";
  CHECK(texts(kSuffix, "a") == Texts{"a</w>"});
  CHECK(texts(kSuffix, "aab") == Texts{"a", "ab</w>"});
  CHECK(texts(kSuffix, "aaab") == Texts{"aa", "ab</w>"});
  CHECK(texts(kSuffix, "abz") == Texts{"a", "b", "?"});
  const char* const kPrefix = R"({"type": "BPE", "unk_token": "?", "continuing_subword_prefix": "##",
      "vocab": {"?": 0, "a": 1, "##a": 2, "##b": 3, "a##": 4, "ab": 5, "##ab": 6, "aab": 7},
      "merges": ["a ##b", "##a ##b", "a ##ab"]})";
  CHECK(texts(kPrefix, "aab") == Texts{"aab"});
  CHECK(texts(kPrefix, "ba") == Texts{"?", "##a"});
  CHECK(texts(kPrefix, "abz") == Texts{"ab", "?"});
}

TEST_CASE("bpe: letters of bytes that a vocabulary lacks are left out, or unknown") {
  TokenizerText bytes;
  bytes.pre_tokenizer = R"({"type": "ByteLevel"})";
  bytes.model = model(R"("merges": [])");
  CHECK(words_of(bytes.tokenizer(), "a\u00E9b") == Texts{"a", "b"});
  bytes.model = model(R"("merges": [], "unk_token": "?")");
  CHECK(words_of(bytes.tokenizer(), "ab") == Texts{"?", "a", "b"});
}
