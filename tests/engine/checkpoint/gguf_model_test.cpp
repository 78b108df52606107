// Whole models in GGUF files, made by tests/python/gguf_files.py of tests/golden/models, and what is refused.
#include "engine/checkpoint/gguf_model.h"

#include <chrono>
#include <fstream>
#include <functional>

#include "engine/core/file.h"
#include "engine/training/saved_model.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/format_support.h"
#include "tests/support/gguf_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string gguf_path(const std::string& family) {
  return source_root() + "/tests/golden/gguf/" + family + ".gguf";
}

NetworkPass gguf_pass(const std::filesystem::path& path, const std::string& family) {
  NetworkPass pass(std::make_shared<const Network>(path));
  pass.set_ids(golden_ids(family));
  return pass;
}

float largest_number(const MatrixRef& matrix) {
  return matrix.cwiseAbs().maxCoeff();
}

void check_refusals(const std::vector<std::pair<std::function<void(WrittenGguf&)>, std::string>>& faults) {
  for (const auto& [change, told] : faults) {
    WrittenGguf file = tiny_llama();
    change(file);
    const TemporaryFolder folder;
    const fs::path path = folder.write("model.gguf", file.bytes());
    const Error error = error_of([&] { const Network network(path); });
    INFO(error.what());
    CHECK_THAT(error.what(), ContainsSubstring(told));
    CHECK(error.where().starts_with(path.string()));
    CHECK(error.where().find(path.string(), 1) == std::string::npos);  // the file is named once
  }
}

std::function<void(WrittenGguf&)> set_key(const std::string& key, const std::string& value) {
  return [key, value](WrittenGguf& file) { file.set(key, value); };
}

}  // namespace

TEST_CASE("gguf model: files with the numbers of a folder compute what the folder does") {
  for (const std::string family : {"gpt_neox", "llama3"}) {  // F16 and BF16, as their folders are
    INFO(family);
    NetworkPass pass = gguf_pass(gguf_path(family), family), folder = golden_pass(family);
    const Index layers = folder.network().config().layers;
    CHECK(largest_difference(pass.residual(layers), folder.residual(layers)) < kRounding);
    CHECK(largest_difference(pass.logits(0, pass.token_count()),
                             golden_matrix(golden_array(family, "logits"))) < 3 * kRounding);
    // Queries and keys are those of the library, not as their rows lie in the file.
    for (const Parameter parameter : {Parameter::Query, Parameter::Key, Parameter::Value})
      CHECK(largest_difference(widened(pass.network().weights().layers[1].of(parameter)),
                               widened(folder.network().weights().layers[1].of(parameter))) == 0);
    CHECK(pass.network().notes().empty());
  }
}

TEST_CASE("gguf model: a quantised file computes what its widened weights do") {
  NetworkPass pass = gguf_pass(gguf_path("gpt2"), "gpt2"), folder = golden_pass("gpt2");
  const Matrix logits = pass.logits(0, pass.token_count()), exact = folder.logits(0, pass.token_count());
  CHECK(largest_difference(logits, exact) < 0.05f * largest_number(exact));
  CHECK(largest_difference(logits, exact) > 1e-4f);
  const TemporaryFolder saved;
  save_model(saved.path(), TrainedWeights(pass.network()),
             {SavedFloat::F32, {{"config.json", read_file(model_folder("gpt2") + "/config.json")}}});
  NetworkPass widened_pass = gguf_pass(saved.path(), "gpt2");
  CHECK(largest_difference(logits, widened_pass.logits(0, pass.token_count())) < kRounding);
}

TEST_CASE("gguf model: each part of a turned or reordered matrix is its part of the whole") {
  for (const std::string family : {"gpt2", "llama3", "gpt_neox"}) {
    const Network network{gguf_path(family)};
    for (const Tensor* tensor : tensors_of(network.weights())) {
      std::vector<float> whole(static_cast<std::size_t>(tensor->rows() * tensor->columns()));
      read_numbers(*tensor, 0, static_cast<Index>(whole.size()), whole.data());
      const auto size = static_cast<Index>(whole.size());
      for (const auto& [first, count] :
           {std::pair<Index, Index>{1, size - 2}, {size / 3, size / 2}, {size - 1, 1}}) {
        std::vector<float> part(static_cast<std::size_t>(count));
        read_numbers(*tensor, first, count, part.data());
        INFO(family << " " << tensor->name << " from " << first);
        CHECK(std::equal(part.begin(), part.end(), whole.begin() + first));
      }
    }
  }
}

TEST_CASE("gguf model: texts have the ids of the folder's tokenizer") {
  for (const std::string family : {"gpt2", "gpt_neox"}) {
    const Network network{gguf_path(family)};
    REQUIRE(network.tokenizer());
    CHECK(network.name() == family + ".gguf");
    for (const char* text :
         {"Your journey starts with one step.", "<|endoftext|> twice  spaced\n", "naïve 🙂"})
      CHECK(network.encode(text) == open_model(family)->encode(text));
  }
}

TEST_CASE("gguf model: a folder with one GGUF file is that model") {
  const TemporaryFolder folder;
  folder.write("weights.gguf", read_file(gguf_path("gpt2")));
  CHECK(Network(folder.path()).name() == "weights.gguf");
  folder.write("config.json", "{}");
  CHECK(Network(folder.path()).name() == "weights.gguf");
  folder.write("other.GGUF", "GGUF");
  check_error([&] { const Network network(folder.path()); },
              "several GGUF files in it: \"other.GGUF\", \"weights.gguf\"", folder.path().string(),
              "choose one");
  folder.write("model.safetensors", "");
  CHECK(gguf_of_model(folder.path()) == std::nullopt);
  CHECK(gguf_of_model(folder / "other.GGUF") == folder / "other.GGUF");
  CHECK(is_gguf_file(folder.write("no_ending", tiny_llama().bytes())));
  CHECK_FALSE(is_gguf_file(folder / "config.json"));
}

TEST_CASE("gguf model: tiny weights of zeros are a model") {
  const TemporaryFolder folder;
  WrittenGguf file = tiny_llama();
  file.set("llama.rope.scaling.type", gguf_string("linear"));
  file.set("llama.rope.scaling.factor", gguf_f32(4));
  file.set("llama.vocab_size", gguf_u32(3));
  const Network network(folder.write("model.gguf", file.bytes()));
  CHECK(network.config().tied);
  CHECK(network.config().position.scaling.factor == 4);
  CHECK(network.config().epsilon == 1e-6);
  CHECK(network.tokenizer_error() != nullptr);
  CHECK(network.notes().empty());  // there is nothing to read a tokenizer from
}

TEST_CASE("gguf model: settings that are not understood are refused by their key") {
  check_refusals({
      {set_key("general.architecture", ""), "general.architecture: the file does not say it"},
      {set_key("general.architecture", gguf_string("mamba")),
       "architecture \"mamba\" are not known here (known are \"llama\""},
      {set_key("general.architecture", gguf_u32(1)),
       "general.architecture: it is a whole number, expected text"},
      {set_key("llama.block_count", ""), "llama.block_count: the file does not say it"},
      {set_key("llama.block_count", gguf_u32(0)), "llama.block_count: it is 0"},
      {set_key("llama.block_count", gguf_u32(2)), "blk.1.attn_norm.weight: the file has no such tensor"},
      {set_key("llama.attention.head_count", gguf_ints({2, 2})),
       "llama.attention.head_count: it is a list of numbers"},
      {set_key("llama.attention.head_count", gguf_u32(3)), "3 heads do not divide"},
      {set_key("llama.attention.head_count_kv", gguf_u32(2)),
       "blk.0.attn_k.weight]: it is 2 x 4, expected 4 x 4"},
      {set_key("llama.embedding_length", gguf_u32(8)), "token_embd.weight]: it is 3 x 4, expected 3 x 8"},
      {set_key("llama.attention.layer_norm_rms_epsilon", gguf_f32(NAN)),
       "rms_epsilon: it is a number, expected a number that is finite"},
      {set_key("llama.expert_count", gguf_u32(8)), "llama.expert_used_count: the file does not say it"},
      {set_key("llama.attention.sliding_window", gguf_u32(8)), "llama.attention.sliding_window"},
      {set_key("llama.attention.causal", gguf_flag(false)), "attention both ways"},
      {set_key("llama.attention.value_length", gguf_u32(3)), "values are 3 wide and keys 2"},
      {set_key("llama.rope.dimension_count", gguf_u32(1)), "1 of the 2 numbers of a head are turned"},
      {set_key("llama.rope.scaling.type", gguf_string("longrope")), "in the way of \"longrope\""},
      {set_key("llama.rope.scaling.type", gguf_string("linear")),
       "llama.rope.scaling.factor: the file does not say it"},
  });
}

TEST_CASE("gguf model: settings of an architecture that others do not have") {
  const auto as = [](const std::string& architecture, std::vector<std::pair<std::string, std::string>> more) {
    return [architecture, more](WrittenGguf& file) {
      file.set("general.architecture", gguf_string(architecture));
      for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
               {"embedding_length", gguf_u32(4)},
               {"block_count", gguf_u32(1)},
               {"attention.head_count", gguf_u32(2)},
               {"feed_forward_length", gguf_u32(16)},
               {"context_length", gguf_u32(8)},
               {"attention.layer_norm_epsilon", gguf_f32(1e-5f)}})
        file.set(architecture + "." + key, value);
      for (const auto& [key, value] : more)
        file.set(architecture + "." + key, value);
    };
  };
  check_refusals({
      {as("starcoder", {{"attention.head_count_kv", gguf_u32(2)}}),
       "starcoder.attention.head_count_kv: it is 2, which is not computed here: a starcoder has 1"},
      {as("bloom", {{"attention.head_count_kv", gguf_u32(1)}}), "a bloom has 2"},
      {as("mpt", {{"attention.head_count_kv", gguf_u32(1)}}), "a mpt with this setting is not computed"},
      {as("stablelm", {{"attention.key_length", gguf_u32(4)}}),
       "stablelm.attention.key_length: heads are 4 wide"},
  });
}

TEST_CASE("gguf model: tensors that are missing or not understood are refused by their name") {
  const auto renamed = [](const std::string& from, const std::string& to) {
    return [from, to](WrittenGguf& file) { file.tensor(from).name = to; };
  };
  check_refusals({
      {renamed("blk.0.ffn_up.weight", "blk.0.ffn_up_exps.weight"),
       "blk.0.ffn_up_exps.weight: a llama with this tensor is not computed"},
      {renamed("blk.0.ffn_up.weight", "blk.0.ffn_up.scale"), "blk.0.ffn_up.scale: a llama with this tensor"},
      {renamed("blk.0.ffn_up.weight", "blk.1.ffn_up.weight"),
       "blk.0.ffn_up.weight: the file has no such tensor"},
      {renamed("token_embd.weight", "token_embd.bias"), "token_embd.weight: the file has no such tensor"},
      {[](WrittenGguf& file) { file.add("rope_freqs.weight", {1}); }, "not those of Llama 3's scaling"},
      {[](WrittenGguf& file) { file.add("blk.0.attn_q.bias", {4}); }, "k_proj.bias"},
  });
}

TEST_CASE("gguf model: files that only have the name of one") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes, const std::string& what, const std::string& hint) {
    const fs::path path = folder.write("model.gguf", bytes);
    check_error([&] { const Network network(path); }, what, path.string(), hint);
  };
  refused("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "Git LFS pointer",
          "git lfs pull");
  refused("", "empty", "copy it again");
  refused("<!doctype html><html>", "web page", "download the file itself");
  refused("not one", "no GGUF file", "choose a .gguf file");
  check_error([&] { const Network network(folder / "none.gguf"); }, "there is no such folder", "none.gguf",
              "");
}

TEST_CASE("gguf model: a file that is rewritten is noticed") {
  const TemporaryFolder folder;
  const fs::path path = folder.write("model.gguf", read_file(gguf_path("llama3")));
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  NetworkPass pass = gguf_pass(path, "llama3");
  std::ofstream(path, std::ios::binary) << std::string(1000, 'x');
  CHECK_THROWS_AS(pass.logits(0, 1), Error);
}
