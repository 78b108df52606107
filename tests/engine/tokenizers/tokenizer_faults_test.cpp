// Invalid tokenizer.json files: the error states what, where and how to correct it.
#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

void check_fault(const TokenizerText& text, const std::string& what, const std::string& where,
                 const std::string& hint) {
  check_error([&] { text.tokenizer(); }, what, "tokenizer.json: " + where, hint);
}

}  // namespace

TEST_CASE("tokenizer faults: the file as a whole") {
  const auto fault = [](const std::string& json, const std::string& what, const std::string& where,
                        const std::string& hint) {
    check_error([&] { Tokenizer::parse(json, "x.json"); }, what, where, hint);
  };
  CHECK_THROWS_AS(Tokenizer::parse("", "x.json"), Error);
  CHECK_THROWS_AS(Tokenizer::parse("{", "x.json"), Error);
  fault("[]", "a list", "x.json", "it holds");
  fault("{}", "\"model\" is missing", "x.json: model", "not a tokenizer.json");
  fault(R"({"model": []})", "a list", "x.json: model", "not a tokenizer.json");
  fault(R"({"model": {}})", "\"vocab\" is missing", "x.json: model.vocab", "write");
  fault(R"({"model": {"vocab": {}}})", "\"type\" is missing", "x.json: model.type", "BPE");
  fault(R"({"model": {"vocab": {}}, "modle": 1})", "unknown key \"modle\"", "x.json: modle", "model");
}

TEST_CASE("tokenizer faults: types that are not known") {
  TokenizerText text;
  text.model = R"({"type": "Morphemes", "vocab": {}})";
  check_fault(text, "\"Morphemes\" is not known", "model.type", "BPE");
  text = {};
  text.normalizer = R"({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Nfx"}]})";
  check_fault(text, "\"Nfx\" is not known", "normalizer.normalizers[1].type", "known are \"Sequence\"");
  text = {};
  text.pre_tokenizer = R"({"type": "Syllables"})";
  check_fault(text, "\"Syllables\" is not known", "pre_tokenizer.type", "ByteLevel");
  text = {};
  text.post_processor = R"({"type": "Sequence", "processors": [{"type": "Other"}]})";
  check_fault(text, "\"Other\" is not known", "post_processor.processors[0].type", "TemplateProcessing");
  text = {};
  text.decoder = R"({"type": "Other"})";
  check_fault(text, "\"Other\" is not known", "decoder.type", "WordPiece");
}

TEST_CASE("tokenizer faults: ids of the vocabulary") {
  const auto fault = [](const std::string& vocabulary, const std::string& what, const std::string& where) {
    TokenizerText text;
    text.model = R"({"type": "BPE", "merges": [], "vocab": )" + vocabulary + "}";
    check_error([&] { text.tokenizer(); }, what, "tokenizer.json: model.vocab" + where, "");
  };
  fault(R"({"a": -1})", "-1, expected a whole number", "[\"a\"]");
  fault(R"({"a": 10000001})", "10000001", "[\"a\"]");
  fault(R"({"a": "0"})", "expected a number", "[\"a\"]");
  fault(R"({"a": 1, "b": 1})", "id 1 is that of \"a\" too", "[\"b\"]");
  fault("[]", "a list", "");
}

TEST_CASE("tokenizer faults: members of normalizers") {
  const auto fault = [](const std::string& normalizer, const std::string& what, const std::string& where,
                        const std::string& hint) {
    TokenizerText text;
    text.normalizer = normalizer;
    check_fault(text, what, "normalizer" + where, hint);
  };
  fault("3", "expected an object with a type", "", "type");
  fault("{}", "\"type\" is missing", ".type", "kind");
  fault(R"({"type": 3})", "expected text", ".type", "quotation");
  fault(R"({"type": "NFC", "form": 1})", "unknown key", ".form", "remove");
  fault(R"({"type": "Prepend"})", "missing", ".prepend", "write");
  fault(R"({"type": "Sequence", "normalizers": {}})", "expected a list", ".normalizers", "[...]");
  fault(R"({"type": "Replace", "content": ""})", "missing", ".pattern", "say");
  fault(R"({"type": "Replace", "pattern": {"Regex": "("}, "content": ""})", "cannot be used",
        ".pattern.Regex", "mend");
  fault(R"({"type": "Replace", "pattern": {}, "content": ""})", "either", ".pattern", "keep");
}

TEST_CASE("tokenizer faults: a part that was made into one of another type keeps what it had") {
  TokenizerText text;
  text.normalizer = R"({"type": "Lowercase", "strip_left": true, "pattern": 7})";
  text.pre_tokenizer = R"({"type": "WhitespaceSplit", "behavior": "Removed", "use_regex": false})";
  text.decoder = R"({"type": "Fuse", "prefix": "##", "cleanup": true})";
  CHECK(words_of(text.tokenizer(), "A") == words_of(TokenizerText().tokenizer(), "a"));
}

TEST_CASE("tokenizer faults: members of pre-tokenizers and decoders") {
  const auto fault = [](const std::string& pre_tokenizer, const std::string& what, const std::string& where,
                        const std::string& hint) {
    TokenizerText text;
    text.pre_tokenizer = pre_tokenizer;
    check_fault(text, what, "pre_tokenizer" + where, hint);
  };
  fault(R"({"type": "Split", "pattern": {"String": "a"}})", "missing", ".behavior", "Isolated");
  fault(R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "removed"})", "unknown", ".behavior",
        "\"Removed\"");
  fault(R"({"type": "Metaspace", "replacement": "ab"})", "not one character", ".replacement", "▁");
  fault(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"})", "\"last\" is unknown",
        ".prepend_scheme", "first");
  fault(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "add_prefix_space": false})",
        "something else than prepend_scheme", ".add_prefix_space", "never");
  TokenizerText text;
  text.decoder = R"({"type": "Strip", "content": "ab", "start": 1, "stop": 0})";
  check_fault(text, "not one character", "decoder.content", "one");
  text.decoder = R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"})";
  check_fault(text, "\"last\" is unknown", "decoder.prepend_scheme", "always");
}

TEST_CASE("tokenizer faults: steps that make a text ever longer") {
  TokenizerText text;
  text.normalizer = R"({"type": "Sequence", "normalizers": [)";
  for (int i = 0; i < 40; ++i)
    text.normalizer += R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"},)";
  text.normalizer.back() = ']';
  text.normalizer += "}";
  const Tokenizer tokenizer = text.tokenizer();
  check_error([&] { tokenizer.encode("a"); }, "beyond 1 MiB", "normalizer", "shorter");
}
