// Tokenizers inside GGUF files.
#include "engine/checkpoint/gguf_tokenizer.h"

#include "tests/support/format_support.h"
#include "tests/support/gguf_files.h"

using namespace headlight;
using namespace headlight_test;

namespace {

using Ids = std::vector<std::int32_t>;

WrittenGguf byte_level() {
  WrittenGguf file;
  file.set("tokenizer.ggml.model", gguf_string("gpt2"));
  file.set("tokenizer.ggml.pre", gguf_string("gpt-2"));
  file.set("tokenizer.ggml.tokens", gguf_strings({"a", "b", "ab", "Ġ", "Ġa", "1", "11", "<end>", "<own>"}));
  file.set("tokenizer.ggml.token_type", gguf_ints({1, 1, 1, 1, 1, 1, 1, 3, 4}));
  file.set("tokenizer.ggml.merges", gguf_strings({"a b", "Ġ a", "1 1"}));
  return file;
}

WrittenGguf pieces() {
  WrittenGguf file;
  file.set("tokenizer.ggml.model", gguf_string("llama"));
  file.set("tokenizer.ggml.tokens",
           gguf_strings({"<unk>", "<s>", "</s>", "▁", "a", "b", "▁a", "ab", "<0xC3>", "<0xA9>"}));
  file.set("tokenizer.ggml.scores", gguf_floats({0, 0, 0, -10, -11, -12, -2, -1, 0, 0}));
  file.set("tokenizer.ggml.token_type", gguf_ints({2, 3, 3, 1, 1, 1, 1, 1, 6, 6}));
  file.set("tokenizer.ggml.bos_token_id", gguf_u32(1));
  file.set("tokenizer.ggml.eos_token_id", gguf_u32(2));
  return file;
}

Tokenizer read(const WrittenGguf& file) {
  return gguf_tokenizer(read_gguf(file.bytes()).metadata);
}

void refused(WrittenGguf file, const std::string& key, const std::string& value, const std::string& what,
             const std::string& where) {
  file.set("tokenizer.ggml." + key, value);
  INFO(key);
  check_error([&] { read(file); }, what, where, "");
}

}  // namespace

TEST_CASE("gguf tokenizer: byte-level BPE with its special tokens") {
  WrittenGguf file = byte_level();
  const Tokenizer tokenizer = read(file);
  CHECK(tokenizer.encode("ab a<end>11<own>") == Ids{2, 4, 7, 6, 8});
  CHECK(tokenizer.is_special(7));
  CHECK_FALSE(tokenizer.is_special(8));
  CHECK(tokenizer.decode({2, 4}) == "ab a");
  file.set("tokenizer.ggml.pre", gguf_string("smollm"));  // each digit alone
  CHECK(read(file).encode("11") == Ids{5, 5});
  file.set("tokenizer.ggml.add_bos_token", gguf_flag(true));
  file.set("tokenizer.ggml.bos_token_id", gguf_u32(7));
  CHECK(read(file).encode("a") == Ids{7, 0});
}

TEST_CASE("gguf tokenizer: pieces are merged by their scores") {
  WrittenGguf file = pieces();
  CHECK(read(file).encode("ab a é") == Ids{1, 3, 7, 6, 3, 8, 9});  // "ab" before "▁a"
  file.set("tokenizer.ggml.scores", gguf_floats({0, 0, 0, -10, -11, -12, -1, -2, 0, 0}));
  CHECK(read(file).encode("ab a") == Ids{1, 6, 5, 6});
  file.set("tokenizer.ggml.add_space_prefix", gguf_flag(false));
  file.set("tokenizer.ggml.add_bos_token", gguf_flag(false));
  file.set("tokenizer.ggml.add_eos_token", gguf_flag(true));
  CHECK(read(file).encode("ab a") == Ids{7, 6, 2});
  CHECK(read(file).decode({7, 6}) == "ab a");
}

TEST_CASE("gguf tokenizer: what is not understood is refused by its key") {
  refused({}, "tokens", "", "no tokenizer", "tokenizer.ggml.model");
  refused(byte_level(), "model", gguf_string("rwkv"), "of the kind \"rwkv\"", "tokenizer.ggml.model");
  refused(byte_level(), "pre", gguf_string("viking"), "cut as \"viking\"", "tokenizer.ggml.pre");
  refused(byte_level(), "pre", "", "does not say how a text is cut", "tokenizer.ggml.pre");
  refused(byte_level(), "tokens", "", "does not have it", "tokenizer.ggml.tokens");
  refused(byte_level(), "tokens", gguf_u32(1), "expected a list of texts", "tokenizer.ggml.tokens");
  refused(byte_level(), "merges", "", "does not have it", "tokenizer.ggml.merges");
  refused(byte_level(), "merges", gguf_strings({"a x"}), "not in the vocabulary", "model.merges[0]");
  refused(byte_level(), "token_type", gguf_ints({1}), "1 for 9 tokens", "tokenizer.ggml.token_type");
  refused(byte_level(), "token_type", gguf_ints({1, 1, 1, 1, 1, 1, 1, 3, 9}), "token 8 is none from 1 to 6",
          "token_type");
  refused(byte_level(), "add_bos_token", gguf_flag(true), "each text gets that token",
          "tokenizer.ggml.bos_token_id");
  refused(pieces(), "scores", gguf_floats({1}), "no score for each token", "tokenizer.ggml.scores");
  refused(pieces(), "bos_token_id", gguf_u32(99), "from 0 to 9", "tokenizer.ggml.bos_token_id");
  refused(pieces(), "bos_token_id", "", "each text gets that token", "tokenizer.ggml.bos_token_id");
  WrittenGguf twice = pieces();
  twice.set("tokenizer.ggml.tokens",
            gguf_strings({"<unk>", "<s>", "</s>", "▁", "a", "a", "▁a", "ab", "c", "d"}));
  check_error([&] { read(twice); }, "piece 5, \"a\", is there twice", "tokenizer.ggml.tokens", "");
}
