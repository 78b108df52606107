#include "engine/tokenizers/post_processor.h"

#include "tests/engine/tokenizers/tokenizer_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Texts = std::vector<std::string>;

TokenizerText with_processor(const std::string& processor) {
  TokenizerText text;
  text.model = model_of({"a", "b", "[C]", "[S]"});
  text.post_processor = processor;
  return text;
}

Texts words(const std::string& processor) {
  return words_of(with_processor(processor).tokenizer(), "ab");
}

std::string templated(const std::string& single, const std::string& specials) {
  return R"({"type": "TemplateProcessing", "single": [)" + single + R"(], "pair": [], "special_tokens": {)" +
         specials + "}}";
}

const char* const kText = R"({"Sequence": {"id": "A", "type_id": 0}})";
const char* const kFirst = R"({"SpecialToken": {"id": "[C]", "type_id": 0}})";
const char* const kSpecial = R"("[C]": {"id": "[C]", "ids": [2, 3], "tokens": ["[C]", "[S]"]})";

}  // namespace

TEST_CASE("post-processor: templates") {
  CHECK(words("null") == Texts{"a", "b"});
  CHECK(words(templated(kText, "")) == Texts{"a", "b"});
  CHECK(words(templated(std::string(kFirst) + "," + kText, kSpecial)) == Texts{"[C]", "[S]", "a", "b"});
  CHECK(words(templated(std::string(kText) + "," + kFirst, kSpecial)) == Texts{"a", "b", "[C]", "[S]"});
}

TEST_CASE("post-processor: the ends of BERT and RoBERTa, and several in a row") {
  CHECK(words(R"({"type": "BertProcessing", "sep": ["[S]", 3], "cls": ["[C]", 2]})") ==
        Texts{"[C]", "a", "b", "[S]"});
  CHECK(words(R"({"type": "RobertaProcessing", "sep": ["[S]", 3], "cls": ["[C]", 2], "trim_offsets": true,
                  "add_prefix_space": false})") == Texts{"[C]", "a", "b", "[S]"});
  CHECK(words(R"({"type": "Sequence", "processors": [{"type": "ByteLevel", "trim_offsets": false},
                  {"type": "BertProcessing", "sep": ["[S]", 3], "cls": ["[C]", 2]},
                  {"type": "BertProcessing", "sep": ["b", 1], "cls": ["a", 0]}]})") ==
        Texts{"a", "[C]", "a", "b", "[S]", "b"});
}

TEST_CASE("post-processor: members that another type has are left alone, as the library does") {
  const std::string single = std::string(kFirst) + "," + kText;
  const std::string whole = templated(single, kSpecial);
  CHECK(words(R"({"add_prefix_space": true, "trim_offsets": false, "use_regex": true, )" + whole.substr(1)) ==
        Texts{"[C]", "[S]", "a", "b"});
  CHECK_THROWS_AS(words(R"({"add_suffix_space": true, )" + whole.substr(1)), Error);
}

TEST_CASE("post-processor: faults are named") {
  const auto fault = [](const std::string& processor, const std::string& what, const std::string& where,
                        const std::string& hint) {
    check_error([&] { with_processor(processor).tokenizer(); }, what,
                "tokenizer.json: post_processor" + where, hint);
  };
  fault(templated(kFirst, kSpecial), "no place for the text", ".single", "\"A\"");
  fault(templated(std::string(kText) + "," + kText, ""), "there twice", ".single[1]", "keep one");
  fault(templated(R"({"Sequence": {"id": "B"}})", ""), "\"B\" in the template", ".single[0].Sequence.id",
        "\"A\"");
  fault(templated("{}", ""), "either", ".single[0]", "keep one");
  fault(templated(std::string(kFirst) + "," + kText, ""), "not among the special tokens", ".special_tokens",
        "say its ids");
  fault(
      templated(std::string(kFirst) + "," + kText, R"("[C]": {"id": "[C]", "ids": [9], "tokens": ["[Z]"]})"),
      "\"[Z]\" is neither in the vocabulary", ".special_tokens[\"[C]\"].ids[0]", "added_tokens");
  fault(
      templated(std::string(kFirst) + "," + kText, R"("[C]": {"id": "[C]", "ids": [9], "tokens": ["[C]"]})"),
      "has id 9, but 2", ".special_tokens[\"[C]\"].ids[0]", "same id");
  fault(templated(std::string(kFirst) + "," + kText,
                  R"("[C]": {"id": "[C]", "ids": [2, 3], "tokens": ["[C]"]})"),
        "2 ids for 1", ".special_tokens[\"[C]\"].ids", "each token");
  fault(R"({"type": "BertProcessing", "sep": ["[S]"], "cls": ["[C]", 2]})", "has 1 members", ".sep",
        "[word, id]");
  fault(R"({"type": "BertProcessing", "sep": ["[S]", 3]})", "missing", ".cls", "[word, id]");
}
