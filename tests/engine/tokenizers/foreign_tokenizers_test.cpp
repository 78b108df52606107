#include "engine/tokenizers/foreign_tokenizers.h"

#include <fstream>

#include "engine/tokenizers/tokenizer.h"
#include "tests/support/format_support.h"
#include "tests/support/temporary_folder.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("foreign tokenizers: files that are taken for a tokenizer.json are named") {
  const auto named = [](const std::string& text, const std::string& what) {
    check_error([&] { Tokenizer::parse(text, "model/tokenizer.json"); }, what, "model/tokenizer.json",
                "AutoTokenizer.from_pretrained");
  };
  const std::string keras =
      R"({"class_name": "Tokenizer", "config": {"num_words": null, "word_index": "{\"the\": 1}"}})";
  named(keras, "Keras's text tokenizer");
  named(Json(keras).dump(), "Keras's text tokenizer");
  named(R"({"the": 0, "cat": 1})", "a vocabulary alone, words and their ids");
  named(R"({"the": -1.5, "cat": 1})", "a vocabulary alone, words and their ids");
  named(R"({"0": "the", "1": "cat"})", "a vocabulary alone, ids and their words");
  named(R"(["the", "cat"])", "a list of words alone");
  named(R"({"tokenizer_class": "GPT2Tokenizer", "model_max_length": 1024})", "a tokenizer_config.json");
  named(R"({"bos_token": "<s>", "eos_token": "</s>"})", "a special_tokens_map.json");
  named(R"({"model_type": "gpt2", "n_layer": 2})", "the config.json of a model");
  named("[PAD]\n[UNK]\nthe\n", "no JSON");
  named("the\ncat\n", "no JSON");
  named("\x0A\x0E\x0A\x05<unk>", "no JSON");
  check_error(
      [] {
        Tokenizer::parse("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "x.json");
      },
      "a Git LFS pointer", "x.json", "git lfs pull");
}

TEST_CASE("foreign tokenizers: a folder with a slow tokenizer's files says how to make a fast one of them") {
  const TemporaryFolder folder;
  const Error none = missing_tokenizer(folder.path());
  CHECK(none.summary() == "the folder has no tokenizer.json, so a text cannot be cut into tokens");
  CHECK(none.hint().find("AutoTokenizer") == std::string::npos);
  for (const char* name : {"vocab.json", "merges.txt"})
    std::ofstream(folder.path() / name) << "x";
  const Error slow = missing_tokenizer(folder.path());
  CHECK(slow.summary().find("vocab.json, merges.txt is a slow tokenizer's") != std::string::npos);
  CHECK(slow.where() == folder.path().string());
  CHECK(slow.hint().find("AutoTokenizer.from_pretrained(\"" + folder.path().string()) != std::string::npos);
}
