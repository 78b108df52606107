// Tokenizers of folders without a tokenizer.json.
#include "engine/tokenizers/folder_tokenizer.h"

#include "engine/core/file.h"
#include "engine/json/json_document.h"
#include "engine/tokenizers/word_files.h"
#include "tests/support/format_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Ids = std::vector<std::int32_t>;
const std::string kTokenizersAt = source_root() + "/tests/golden/models/tokenizers/";

// The vocabulary and merges of a golden byte-level tokenizer.json as files of their own.
void write_byte_level(const TemporaryFolder& folder, const std::string& name) {
  const Json model = parse_json(read_file(kTokenizersAt + name + ".json"))["model"];
  folder.write("vocab.json", model["vocab"].dump());
  std::string merges = "#version: 0.2\n";
  for (const Json& merge : model["merges"])
    merges += (merge.is_string() ? merge.get<std::string>()
                                 : merge[0].get<std::string>() + " " + merge[1].get<std::string>()) +
              "\n";
  folder.write("merges.txt", merges);
}

Tokenizer read(const TemporaryFolder& folder) {
  const std::optional<Tokenizer> tokenizer = read_folder_tokenizer(folder.path());
  REQUIRE(tokenizer);
  return *tokenizer;
}

void check_golden(const TemporaryFolder& folder, const std::string& name) {
  const Tokenizer tokenizer = read(folder);
  for (const Json& one : parse_json(read_file(kTokenizersAt + name + ".texts.json"))) {
    INFO(name << ": " << one["text"]);
    CHECK(tokenizer.encode(one["text"].get<std::string>()) == one["ids"].get<Ids>());
  }
}

void refused(const TemporaryFolder& folder, const std::string& what, const std::string& where,
             const std::string& hint = "") {
  INFO(what);
  check_error([&] { read_folder_tokenizer(folder.path()); }, what, where, hint);
}

}  // namespace

TEST_CASE("folder tokenizer: vocab.json and merges.txt as GPT-2's") {
  const TemporaryFolder folder;
  CHECK_FALSE(read_folder_tokenizer(folder.path()));
  write_byte_level(folder, "byte");
  folder.write("config.json", R"({"model_type": "gpt2"})");
  check_golden(folder, "byte");
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "GPT2TokenizerFast", "add_prefix_space": true})");
  CHECK(read(folder).encode("keys") == read(folder).encode(" keys"));
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
      "bos_token": {"content": "<|endoftext|>"}})");
  CHECK(read(folder).encode("").size() == 1);
}

TEST_CASE("folder tokenizer: vocab.json and merges.txt of other classes") {
  const TemporaryFolder folder;
  folder.write("vocab.json",
               R"({"<s>": 0, "</s>": 1, "<mask>": 2, "a": 3, "Ġ": 4, "1": 5, "11": 6, "Ċ": 7})");
  folder.write("merges.txt", "1 1\r\n\r\n");
  folder.write("config.json", R"({"model_type": "roberta"})");
  CHECK(read(folder).encode("a <mask>11") == Ids{0, 3, 2, 6, 1});
  CHECK(read(folder).mask_token() == 2);
  folder.write("config.json", R"({"model_type": "qwen2"})");
  folder.write("added_tokens.json", R"({"<|im_start|>": 8})");
  CHECK(read(folder).encode("11<|im_start|>a") == Ids{5, 5, 8, 3});
  folder.write(
      "tokenizer_config.json",
      R"({"added_tokens_decoder": {"9": {"content": "<x>", "special": true}, "bad": {"content": "y"}}})");
  CHECK(read(folder).encode("<x>") == Ids{9});
  CHECK(read(folder).is_special(9));
  folder.write("config.json", R"({"model_type": "opt"})");
  CHECK(read(folder).encode("a") == Ids{1, 3});
}

TEST_CASE(
    "folder tokenizer: its document is that of the tokenizer, where it is byte-level or a tokenizer.json") {
  const TemporaryFolder folder;
  CHECK(folder_tokenizer_document(folder.path()).is_null());
  folder.write("vocab.txt", "[UNK]\na\n");
  CHECK(folder_tokenizer_document(folder.path()).is_null());
  write_byte_level(folder, "byte");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
      "bos_token": {"content": "<|endoftext|>"}})");
  const auto ids = [&] {
    return Tokenizer::read(folder_tokenizer_document(folder.path())).encode("The keys  are\n12");
  };
  CHECK(ids() == read(folder).encode("The keys  are\n12"));
  folder.write("tokenizer.json", read_file(kTokenizersAt + "byte3.json"));
  CHECK(folder_tokenizer_document(folder.path()) == parse_json(read_file(kTokenizersAt + "byte3.json")));
  CHECK(ids() == read(folder).encode("The keys  are\n12"));
  folder.write("tokenizer.json", R"({"model": {"type": "WordLevel", "vocab": {"<s>": 0, "a": 1}}})");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": true})");
  CHECK(folder_tokenizer_document(folder.path())["post_processor"]["type"] == "TemplateProcessing");
}

TEST_CASE("folder tokenizer: a vocab.txt as bert's") {
  const TemporaryFolder folder;
  const Json model = parse_json(read_file(kTokenizersAt + "word.json"))["model"];
  std::vector<std::string> words;
  for (const auto& [word, id] : model["vocab"].items()) {
    words.resize(std::max(words.size(), id.get<std::size_t>() + 1));
    words[id.get<std::size_t>()] = word;
  }
  std::string lines;
  for (const std::string& word : words)
    lines += word + "\n";
  folder.write("vocab.txt", lines);
  folder.write("config.json", R"({"model_type": "bert"})");
  check_golden(folder, "word");
  folder.write("tokenizer_config.json", R"({"do_lower_case": false})");
  CHECK(read(folder).encode("The") != read(folder).encode("the"));
  folder.write("tokenizer_config.json", "{}");
  CHECK(read(folder).encode("The") == read(folder).encode("the"));
  folder.write("vocab.txt", lines + "The\n");  // a vocabulary with capitals
  CHECK(read(folder).encode("The") == Ids{2, static_cast<std::int32_t>(words.size()), 3});
}

TEST_CASE("folder tokenizer: SentencePiece's models by their class") {
  const TemporaryFolder folder;
  folder.write("tokenizer.model", read_file(kTokenizersAt + "pieces_bpe.model"));
  folder.write("config.json", R"({"model_type": "llama"})");
  check_golden(folder, "pieces_bpe");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": false})");
  const Ids with_space = read(folder).encode("the");
  folder.write("tokenizer_config.json",
               R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": false, "add_prefix_space": false})");
  CHECK(read(folder).encode(" the") == with_space);
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "GemmaTokenizer", "bos_token": "<s>"})");
  CHECK(read(folder).encode(" the").size() == with_space.size() + 1);
  // Behind a special token there is a space only in the older way.
  const auto after_turn = [&](const char* legacy) {
    folder.write("tokenizer_config.json",
                 std::string(R"({"tokenizer_class": "LlamaTokenizer", "add_bos_token": false, "legacy": )") +
                     legacy + "}");
    Ids ids = read(folder).encode("the<s>the");
    return Ids(std::find(ids.begin(), ids.end(), *read(folder).find("<s>")) + 1, ids.end());
  };
  CHECK(after_turn("true") == with_space);
  CHECK(after_turn("false") != with_space);
  const TemporaryFolder t5;
  t5.write("spiece.model", read_file(kTokenizersAt + "pieces_unigram.model"));
  t5.write("config.json", R"({"model_type": "t5"})");
  check_golden(t5, "pieces_unigram");
  const std::int32_t pieces = 400;
  CHECK(read(t5).find("<extra_id_0>") == pieces + 99);
  CHECK(read(t5).find("<extra_id_99>") == pieces);
}

TEST_CASE("folder tokenizer: files that are not understood are refused") {
  const TemporaryFolder folder;
  write_byte_level(folder, "byte");
  refused(folder, "neither tokenizer_config.json nor config.json says how vocab.json is used", "vocab.json",
          "give ids");
  folder.write("config.json", R"({"model_type": "gpt2", "tokenizer_class": "MarianTokenizer"})");
  refused(folder, "how a MarianTokenizer uses vocab.json is not known", "vocab.json", "AutoTokenizer");
  folder.write("config.json", R"({"model_type": "gpt2"})");
  folder.write("merges.txt", "#version: 0.2\na b c\n");
  refused(folder, "\"a b c\" is not two words", "merges.txt: line 2", "merges.txt again");
  folder.write("merges.txt", "a\xff b\n");
  refused(folder, "not UTF-8", "merges.txt: line 1");
  folder.write("merges.txt", "a nothing\n");
  refused(folder, "\"nothing\" is not in the vocabulary", "vocab.json: model.merges[0]");
  folder.write("merges.txt", "");
  refused(folder, "the file is empty", "merges.txt");
  folder.write("merges.txt", "\n");
  folder.write("vocab.json", "[\"a\"]");
  refused(folder, "expected words with their ids", "vocab.json");
  folder.write("vocab.json", "{\"a\": -1}");
  refused(folder, "", "vocab.json");
  folder.write("tokenizer_config.json", "[]");
  refused(folder, "expected an object", (folder / "tokenizer_config.json").string());
  CHECK(error_of([&] { read_folder_tokenizer(folder.path()); }).where() == folder / "tokenizer_config.json");
}

TEST_CASE("folder tokenizer: pieces and words that are not understood are refused") {
  const TemporaryFolder folder;
  folder.write("tokenizer.model", "\x0a");
  refused(folder, "ends within a field", "tokenizer.model", "again");
  folder.write("tokenizer.model", read_file(kTokenizersAt + "pieces_bpe.model"));
  refused(folder, "neither tokenizer_config.json nor config.json", "tokenizer.model", "give ids");
  folder.write("config.json", R"({"tokenizer_class": "XLMRobertaTokenizer"})");
  refused(folder, "how a XLMRobertaTokenizer uses its pieces", "tokenizer.model", "AutoTokenizer");
  folder.write("config.json", R"({"model_type": "gemma"})");
  refused(folder, "no piece \"<bos>\"", "tokenizer.model");
  const TemporaryFolder words;
  words.write("vocab.txt", "a\n\xff\n");
  refused(words, "not UTF-8", "vocab.txt: line 2");
  words.write("vocab.txt", "a\n[CLS]\n");
  refused(words, "no token \"[SEP]\"", "vocab.txt");
}

TEST_CASE("folder tokenizer: Git LFS pointers are named") {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
  for (const char* name : {"tokenizer.json", "tokenizer.model", "spiece.model", "vocab.txt"}) {
    const TemporaryFolder folder;
    folder.write(name, pointer);
    refused(folder, "Git LFS pointer", name, "git lfs pull");
  }
  const TemporaryFolder folder;
  folder.write("vocab.json", "{}");
  folder.write("merges.txt", pointer);
  refused(folder, "Git LFS pointer", "merges.txt", "git lfs pull");
}

TEST_CASE("word files: merges and words by line") {
  CHECK(parse_merges("#version: 0.2\na b\n\n# #\n") == Json({"a b", "# #"}));
  CHECK(parse_merges("").empty());
  CHECK(parse_word_lines("a\r\nb") == Json({{"a", 0}, {"b", 1}}));
}

TEST_CASE(
    "folder tokenizer: classes that frame texts by add_bos_token and add_eos_token, whatever the template "
    "says") {
  const TemporaryFolder folder;
  Json tokenizer = {{"version", "1.0"},          {"truncation", nullptr},        {"padding", nullptr},
                    {"normalizer", nullptr},     {"pre_tokenizer", nullptr},     {"decoder", nullptr},
                    {"post_processor", nullptr}, {"added_tokens", Json::array()}};
  for (const char* special : {"<s>", "</s>"})
    tokenizer["added_tokens"].push_back({{"id", tokenizer["added_tokens"].size()},
                                         {"content", special},
                                         {"single_word", false},
                                         {"lstrip", false},
                                         {"rstrip", false},
                                         {"normalized", false},
                                         {"special", true}});
  tokenizer["model"] = {
      {"type", "BPE"}, {"vocab", {{"<s>", 0}, {"</s>", 1}, {"a", 2}, {"b", 3}}}, {"merges", Json::array()}};
  const Json framed = {
      {"type", "TemplateProcessing"},
      {"single",
       {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}}, {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
      {"pair", Json::array()},
      {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", {0}}, {"tokens", {"<s>"}}}}}}};
  const auto ids = [&](const std::string& kind, const std::string& flags, const Json& post) {
    tokenizer["post_processor"] = post;
    folder.write("tokenizer.json", tokenizer.dump());
    folder.write(
        "tokenizer_config.json",
        R"({"bos_token": "<s>", "eos_token": "</s>", "tokenizer_class": ")" + kind + "\"" + flags + "}");
    return read(folder).encode("ab");
  };
  const std::string both = R"(, "add_bos_token": true, "add_eos_token": true)",
                    none = R"(, "add_bos_token": false)";
  CHECK(ids("LlamaTokenizerFast", both, framed) == Ids{0, 2, 3, 1});
  CHECK(ids("LlamaTokenizerFast", both, nullptr) == Ids{0, 2, 3, 1});
  CHECK(ids("LlamaTokenizerFast", none, framed) == Ids{2, 3});
  CHECK(ids("LlamaTokenizerFast", "", framed) == Ids{0, 2, 3});
  CHECK(ids("PreTrainedTokenizerFast", both, framed) == Ids{0, 2, 3});
  folder.write("tokenizer_config.json",
               R"({"bos_token": "<other>", "tokenizer_class": "GemmaTokenizer", "add_bos_token": true})");
  refused(folder, "\"<other>\"", "tokenizer.json", "one model");
}
